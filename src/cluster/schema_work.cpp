#include "cluster/schema_steps.h"

namespace capsule::cluster {

// Work that other machines may do, and who does it.
const char* const kWorkStep = R"sql(
-- A set of needs, so that whoever can serve none of a million rows looks at one row, not at them.
CREATE TABLE capsule.pools(
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id bigint NOT NULL REFERENCES capsule.projects,
  needs      text[] NOT NULL,                -- sorted
  UNIQUE (project_id, needs)
);

-- One row for each process ever; a number is never used again.
CREATE TABLE capsule.workers(
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id bigint NOT NULL REFERENCES capsule.projects,
  name       text   NOT NULL,
  labels     text[] NOT NULL,
  slots      int    NOT NULL,
  state      text   NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'draining', 'gone')),
  beat       bigint NOT NULL                 -- capsule.clock.ms
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- An agent that a run wants; gone when the run has heard what came of it.
CREATE SEQUENCE capsule.tokens;
CREATE TABLE capsule.work(
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id bigint NOT NULL REFERENCES capsule.projects,
  pool       bigint NOT NULL REFERENCES capsule.pools,
  run        text   NOT NULL,
  agent      bigint NOT NULL,
  epoch      bigint NOT NULL,                -- of the claim for the run of who wants it
  what       text   NOT NULL,
  spec       text   NOT NULL,
  state      text   NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'claimed', 'done')),
  worker     bigint NOT NULL DEFAULT 0,
  token      bigint NOT NULL DEFAULT 0,      -- of the claim that has it, or had it when it was done
  lost       int    NOT NULL DEFAULT 0,      -- how often who had it was gone
  result     text   NOT NULL DEFAULT '',
  UNIQUE (project_id, run, agent)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX work_ready ON capsule.work(pool, id) WHERE state = 'ready';
CREATE INDEX work_held ON capsule.work(worker) WHERE state = 'claimed';
CREATE INDEX work_by_token ON capsule.work(token) WHERE token <> 0;

-- Workers that were silent for a lease are gone, and in the same commit what they had is ready
-- again; what was lost for the third time is its run's to judge.
CREATE FUNCTION capsule_v1.reap() RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_now bigint := capsule_v1.tick(); v_lease bigint; v_worker bigint;
BEGIN
  SELECT m.lease_ms INTO v_lease FROM capsule.meta m;
  FOR v_worker IN SELECT w.id FROM capsule.workers w
      WHERE w.state <> 'gone' AND w.beat < v_now - v_lease ORDER BY w.id FOR UPDATE SKIP LOCKED LOOP
    UPDATE capsule.work k SET lost = k.lost + 1, worker = 0, token = 0,
        state = CASE WHEN k.lost >= 2 THEN 'done' ELSE 'ready' END
      WHERE k.worker = v_worker AND k.state = 'claimed';
    UPDATE capsule.workers w SET state = 'gone' WHERE w.id = v_worker;
  END LOOP;
END $$;

CREATE FUNCTION capsule_v1.enlist(p_project bigint, p_name text, p_labels text[], p_slots int)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE v_now bigint := capsule_v1.tick(); v_id bigint;
BEGIN
  DELETE FROM capsule.workers w WHERE w.state = 'gone' AND w.beat < v_now - 86400000;
  INSERT INTO capsule.workers(project_id, name, labels, slots, beat)
    VALUES (p_project, p_name, p_labels, p_slots, v_now) RETURNING id INTO v_id;
  RETURN v_id;
END $$;

-- First the time that it may be silent, as a row without a token; then the claims that are its own.
-- Nothing: it is gone.
CREATE FUNCTION capsule_v1.attend(p_worker bigint, p_leaving boolean)
RETURNS TABLE(o_lease bigint, o_token bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);  -- one that is lost is no harm
  UPDATE capsule.workers w SET beat = capsule_v1.tick(),
      state = CASE WHEN p_leaving THEN 'draining' ELSE w.state END
    WHERE w.id = p_worker AND w.state <> 'gone';
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM capsule_v1.reap();
  RETURN QUERY SELECT m.lease_ms, 0::bigint FROM capsule.meta m;
  RETURN QUERY SELECT 0::bigint, k.token FROM capsule.work k
    WHERE k.worker = p_worker AND k.state = 'claimed';
END $$;

-- The oldest row of all pools that the worker serves. While this looks the worker cannot become one
-- that is gone.
CREATE FUNCTION capsule_v1.take(p_worker bigint)
RETURNS TABLE(o_token bigint, o_run text, o_agent bigint, o_what text, o_spec text) LANGUAGE plpgsql AS $$
DECLARE w capsule.workers; v_pool bigint;
BEGIN
  SELECT * INTO w FROM capsule.workers k WHERE k.id = p_worker AND k.state = 'active' FOR SHARE;
  IF NOT FOUND OR (SELECT count(*) FROM capsule.work k
                     WHERE k.worker = p_worker AND k.state = 'claimed') >= w.slots THEN RETURN; END IF;
  FOR v_pool IN SELECT p.id FROM capsule.pools p CROSS JOIN LATERAL
        (SELECT k.id FROM capsule.work k WHERE k.pool = p.id AND k.state = 'ready'
           ORDER BY k.id LIMIT 1) first
      WHERE p.project_id = w.project_id AND p.needs <@ w.labels ORDER BY first.id LOOP
    RETURN QUERY UPDATE capsule.work k
      SET state = 'claimed', worker = p_worker, token = nextval('capsule.tokens')
      WHERE k.id = (SELECT r.id FROM capsule.work r WHERE r.pool = v_pool AND r.state = 'ready'
                      ORDER BY r.id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING k.token, k.run, k.agent, k.what, k.spec;
    IF FOUND THEN RETURN; END IF;
  END LOOP;
END $$;

-- False: somebody else has it by now, or nobody wants it. Said again it is true again.
CREATE FUNCTION capsule_v1.report(p_worker bigint, p_token bigint, p_result text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE capsule.work k SET state = 'done', result = p_result
    WHERE k.token = p_token AND k.worker = p_worker AND k.state IN ('claimed', 'done');
  RETURN FOUND;
END $$;

CREATE FUNCTION capsule_v1.give_back(p_worker bigint, p_token bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE capsule.work k SET state = 'ready', worker = 0, token = 0
    WHERE k.token = p_token AND k.worker = p_worker AND k.state = 'claimed';
$$;

CREATE FUNCTION capsule_v1.leave(p_worker bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM capsule.workers w WHERE w.id = p_worker AND w.state <> 'gone' FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE capsule.work k SET state = 'ready', worker = 0, token = 0
    WHERE k.worker = p_worker AND k.state = 'claimed';
  UPDATE capsule.workers w SET state = 'gone' WHERE w.id = p_worker;
END $$;

-- Only who carries the run on wants anything of it. What an earlier process wanted goes.
CREATE FUNCTION capsule_v1.put(p_project bigint, p_run text, p_epoch bigint, p_agent bigint, p_needs text[],
    p_what text, p_spec text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM capsule.runs r WHERE r.project_id = p_project AND r.run = p_run AND r.held
    AND r.epoch = p_epoch FOR KEY SHARE;
  IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'CP001'; END IF;
  DELETE FROM capsule.work k WHERE k.project_id = p_project AND k.run = p_run AND k.epoch < p_epoch;
  INSERT INTO capsule.pools(project_id, needs) VALUES (p_project, p_needs) ON CONFLICT DO NOTHING;
  INSERT INTO capsule.work(project_id, pool, run, agent, epoch, what, spec)
    SELECT p_project, p.id, p_run, p_agent, p_epoch, p_what, p_spec FROM capsule.pools p
      WHERE p.project_id = p_project AND p.needs = p_needs
    ON CONFLICT DO NOTHING;
END $$;

-- True: somebody was at it.
CREATE FUNCTION capsule_v1.drop(p_project bigint, p_run text, p_epoch bigint, p_agent bigint) RETURNS boolean
LANGUAGE sql AS $$
  WITH gone AS (DELETE FROM capsule.work k
      WHERE k.project_id = p_project AND k.run = p_run AND k.epoch <= p_epoch AND p_agent IN (0, k.agent)
      RETURNING k.state)
  SELECT coalesce(bool_or(g.state = 'claimed'), false) FROM gone g;
$$;

CREATE FUNCTION capsule_v1.done(p_project bigint, p_run text, p_epoch bigint)
RETURNS TABLE(o_agent bigint, o_worker text, o_result text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM capsule_v1.reap();
  RETURN QUERY SELECT k.agent, coalesce(w.name, ''), k.result
    FROM capsule.work k LEFT JOIN capsule.workers w ON w.id = k.worker
    WHERE k.project_id = p_project AND k.run = p_run AND k.epoch = p_epoch AND k.state = 'done'
    ORDER BY k.id;
END $$;

-- By those that were heard of within a fifth of a lease. What waits for a slot has it already.
CREATE FUNCTION capsule_v1.served(p_project bigint, p_needs text[]) RETURNS TABLE(o_workers bigint, o_free bigint)
LANGUAGE sql STABLE AS $$
  SELECT count(*), coalesce(sum(w.slots), 0)
      - (SELECT count(*) FROM capsule.work k JOIN capsule.workers v ON v.id = k.worker
           WHERE k.state = 'claimed' AND v.project_id = p_project AND v.labels @> p_needs)
      - (SELECT count(*) FROM capsule.work k JOIN capsule.pools p ON p.id = k.pool
           WHERE k.state = 'ready' AND p.project_id = p_project AND p.needs = p_needs)
    FROM capsule.workers w, capsule.clock c, capsule.meta m
    WHERE w.project_id = p_project AND w.state = 'active' AND w.labels @> p_needs
      AND w.beat >= c.ms - m.lease_ms / 5;
$$;

CREATE FUNCTION capsule_v1.workers(p_project bigint)
RETURNS TABLE(id bigint, name text, state text, labels text, slots int, busy bigint, silent_ms bigint)
LANGUAGE sql STABLE AS $$
  SELECT w.id, w.name, w.state, array_to_string(w.labels, ','), w.slots,
      (SELECT count(*) FROM capsule.work k WHERE k.worker = w.id AND k.state = 'claimed'),
      greatest(0, c.ms - w.beat)
    FROM capsule.workers w, capsule.clock c WHERE w.project_id = p_project AND w.state <> 'gone' ORDER BY w.id;
$$;

CREATE FUNCTION capsule_v1.queue(p_project bigint)
RETURNS TABLE(needs text, waiting bigint, claimed bigint, workers bigint) LANGUAGE sql STABLE AS $$
  SELECT array_to_string(p.needs, ','), count(*) FILTER (WHERE k.state = 'ready'),
      count(*) FILTER (WHERE k.state = 'claimed'),
      (SELECT count(*) FROM capsule.workers w, capsule.clock c, capsule.meta m
         WHERE w.project_id = p_project AND w.state = 'active' AND w.labels @> p.needs
           AND w.beat >= c.ms - m.lease_ms)
    FROM capsule.pools p JOIN capsule.work k ON k.pool = p.id AND k.state <> 'done'
    WHERE p.project_id = p_project GROUP BY p.id, p.needs ORDER BY p.id;
$$;

REVOKE ALL ON ALL TABLES IN SCHEMA capsule FROM PUBLIC;
DO $$ DECLARE f record; BEGIN
  FOR f IN SELECT p.oid::regprocedure AS name FROM pg_proc p WHERE p.pronamespace = 'capsule_v1'::regnamespace
      AND p.proname IN ('reap', 'enlist', 'attend', 'take', 'report', 'give_back', 'leave', 'put', 'drop', 'done',
                        'served', 'workers', 'queue') LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = pg_catalog, pg_temp', f.name);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.name);
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION capsule_v1.served, capsule_v1.workers, capsule_v1.queue TO capsule_reader;
GRANT EXECUTE ON FUNCTION capsule_v1.enlist, capsule_v1.attend, capsule_v1.take, capsule_v1.report,
  capsule_v1.give_back, capsule_v1.leave, capsule_v1.put, capsule_v1.drop, capsule_v1.done TO capsule_worker;
)sql";

}  // namespace capsule::cluster
