#include "cluster/schema_steps.h"

namespace capsule::cluster {

// Who may move a branch of the remote that the clones share: by its epoch, which git knows, too.
// And runs that go on in another clone, from what is on that remote.
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

-- Makes a run's home another, or says who works on it. `p_over` as in claim().
CREATE FUNCTION capsule_v1.bring_here(p_project bigint, p_run text, p_home text, p_over bigint)
RETURNS TABLE(o_taken boolean, o_epoch bigint, o_run text, o_pid bigint, o_start_time bigint, o_boot_id text,
              o_machine text, o_host text, o_since text, o_silent_ms bigint) LANGUAGE plpgsql AS $$
DECLARE v_now bigint := capsule_v1.tick(); v_lease bigint; v_epoch bigint; r capsule.runs; l capsule.leases;
BEGIN
  SELECT m.lease_ms INTO v_lease FROM capsule.meta m;
  SELECT * INTO r FROM capsule.runs h WHERE h.project_id = p_project AND h.run = p_run;
  IF NOT FOUND THEN RAISE EXCEPTION 'no such run' USING ERRCODE = 'CP003'; END IF;
  INSERT INTO capsule.leases(project_id, subject) VALUES (p_project, r.subject) ON CONFLICT DO NOTHING;
  SELECT * INTO l FROM capsule.leases k WHERE k.project_id = p_project AND k.subject = r.subject FOR UPDATE;
  -- Behind the lock, which whoever moves the run has. One that went into the journal of a folder goes
  -- on there alone, whatever is known of it here.
  SELECT h.home INTO r.home FROM capsule.runs h WHERE h.id = r.id;
  IF r.home LIKE '%, in the journal of /%' THEN RAISE EXCEPTION '%', r.home USING ERRCODE = 'CP004'; END IF;
  IF l.token <> '' AND l.epoch <> p_over AND l.beat >= v_now - v_lease THEN
    RETURN QUERY SELECT false, l.epoch, l.run, l.pid, l.start_time, l.boot_id, l.machine, l.host, l.since,
      greatest(0, extract(epoch FROM clock_timestamp() - l.heard) * 1000)::bigint;
    RETURN;
  END IF;
  -- Whoever had it appends nothing more, and beats in vain.
  v_epoch := nextval('capsule.epochs');
  UPDATE capsule.leases k SET token = '', epoch = v_epoch WHERE k.project_id = p_project AND k.subject = r.subject;
  UPDATE capsule.runs h SET home = p_home, epoch = v_epoch, held = false WHERE h.id = r.id;
  RETURN QUERY SELECT true, v_epoch, p_run, 0::bigint, 0::bigint, ''::text, ''::text, ''::text, ''::text, 0::bigint;
END $$;

ALTER FUNCTION capsule_v1.bring_here SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
REVOKE ALL ON FUNCTION capsule_v1.bring_here FROM PUBLIC;
GRANT EXECUTE ON FUNCTION capsule_v1.bring_here TO capsule_worker;
ALTER FUNCTION capsule_v1.take_branch SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
REVOKE ALL ON FUNCTION capsule_v1.take_branch FROM PUBLIC;
GRANT EXECUTE ON FUNCTION capsule_v1.take_branch TO capsule_worker;
)sql";

}  // namespace capsule::cluster
