-- What a relay key may do; the limits are off while they are null.
ALTER TABLE application ADD COLUMN relay_guards_all INTEGER NOT NULL DEFAULT 0;
ALTER TABLE application ADD COLUMN relay_connections INTEGER;
ALTER TABLE application ADD COLUMN relay_channels INTEGER;
ALTER TABLE application ADD COLUMN relay_messages_per_second INTEGER;
