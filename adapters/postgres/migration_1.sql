-- SPDX-License-Identifier: Apache-2.0
ALTER TABLE store ADD COLUMN timeline bytea NOT NULL DEFAULT '';      -- last known timeline of the write-ahead log
ALTER TABLE views_state ADD COLUMN anew bigint NOT NULL DEFAULT 0;    -- readers with an older revision read everything
