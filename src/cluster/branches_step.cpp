#include "cluster/schema_steps.h"

namespace capsule::cluster {

// Who may move a branch of the remote that the clones share: by its epoch, which git knows, too.
const char* const kBranchesStep = R"sql(
CREATE TABLE capsule.branches(
  project_id bigint NOT NULL REFERENCES capsule.projects,
  branch     text   NOT NULL,
  epoch      bigint NOT NULL,
  PRIMARY KEY (project_id, branch)
) WITH (fillfactor = 50);

-- Higher than any before it, also for a call that is repeated. `p_epoch` is that of the caller's
-- claim on the run.
CREATE FUNCTION capsule_v1.take_branch(p_project bigint, p_branch text, p_run text, p_epoch bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE v_epoch bigint;
BEGIN
  -- Nobody takes the run over before this is committed.
  PERFORM FROM capsule.runs r WHERE r.project_id = p_project AND r.run = p_run AND r.held AND r.epoch = p_epoch
    FOR SHARE;
  IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'CP001'; END IF;
  INSERT INTO capsule.branches AS b (project_id, branch, epoch) VALUES (p_project, p_branch, 1)
    ON CONFLICT (project_id, branch) DO UPDATE SET epoch = b.epoch + 1
    RETURNING b.epoch INTO v_epoch;
  RETURN v_epoch;
END $$;

ALTER FUNCTION capsule_v1.take_branch SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
REVOKE ALL ON FUNCTION capsule_v1.take_branch FROM PUBLIC;
GRANT EXECUTE ON FUNCTION capsule_v1.take_branch TO capsule_worker;
)sql";

}  // namespace capsule::cluster
