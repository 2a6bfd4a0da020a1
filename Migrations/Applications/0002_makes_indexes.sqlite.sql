-- Whether the server makes indexes by itself; on for the applications there are.
ALTER TABLE application ADD COLUMN makes_indexes INTEGER NOT NULL DEFAULT 1;
