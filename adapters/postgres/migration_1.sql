-- SPDX-License-Identifier: Apache-2.0
ALTER TABLE store ADD COLUMN timeline bytea NOT NULL DEFAULT '';      -- of the log, as far as it was seen
ALTER TABLE views_state ADD COLUMN anew bigint NOT NULL DEFAULT 0;    -- who knows an older revision reads everything
