-- What becomes of an index: whether it could be built, and whether anybody uses it.
--
-- State 2: declared, and given up while it was built. `failure` says why, `object` is the id of the
-- object that is the cause. It has no keys: those of the attempt are left to a row of state 1.
ALTER TABLE field_index ADD COLUMN failure TEXT;
ALTER TABLE field_index ADD COLUMN object TEXT;

CREATE UNIQUE INDEX field_index_failed ON field_index (class, field) WHERE state = 2;

-- Milliseconds since 1970. `made`: since when it is watched, null for one that is older than this
-- column. `used`: about when a list used it last, null for never since.
ALTER TABLE field_index ADD COLUMN made INTEGER;
ALTER TABLE field_index ADD COLUMN used INTEGER;
