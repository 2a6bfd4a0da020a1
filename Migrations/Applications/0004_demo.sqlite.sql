-- Whether the page at / is the application's chat; at most one is.
ALTER TABLE application ADD COLUMN is_demo INTEGER NOT NULL DEFAULT 0;
