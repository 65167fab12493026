#include "cluster/schema_steps.h"

namespace capsule::cluster {
namespace {

// Tables are in `capsule`, which nobody but the owner may look into; the protocol is the functions
// in `capsule_v1`. They run as the owner, with a search path that no caller can change.
constexpr const char* kFirst = R"sql(
CREATE SCHEMA capsule;
CREATE SCHEMA capsule_v1;

CREATE TABLE capsule.meta(
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),
  version  int     NOT NULL,
  cluster  uuid    NOT NULL DEFAULT gen_random_uuid(),
  lease_ms bigint  NOT NULL DEFAULT 300000,  -- of silence until a claim is over
  pause_ms bigint  NOT NULL DEFAULT 20000    -- what a time in which nobody was served counts at most
);
INSERT INTO capsule.meta(version) VALUES (1);

-- Time for leases: it goes on only while somebody is served.
CREATE TABLE capsule.clock(
  one  boolean     PRIMARY KEY DEFAULT true CHECK (one),
  ms   bigint      NOT NULL DEFAULT 0,
  real timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 10);
INSERT INTO capsule.clock DEFAULT VALUES;

CREATE TABLE capsule.projects(
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name   text NOT NULL,
  origin text NOT NULL UNIQUE                -- the first commit of its history
);

-- Heads hold what a run's facts add up to, and the fence: who appends names the epoch.
CREATE TABLE capsule.runs(
  id         bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id bigint  NOT NULL REFERENCES capsule.projects,
  run        text    NOT NULL,
  workflow   text    NOT NULL,
  subject    text    NOT NULL,
  started_at text    NOT NULL,
  ended_at   text    NOT NULL DEFAULT '',
  outcome    text    NOT NULL DEFAULT '',
  home       text    NOT NULL,               -- the machine and folder that have its worktrees
  facts      bigint  NOT NULL,
  last_seq   bigint  NOT NULL,               -- 1, 2, 3 … within the run
  chain      bigint  NOT NULL,
  epoch      bigint  NOT NULL,
  held       boolean NOT NULL,
  UNIQUE (project_id, run)
) WITH (fillfactor = 50);
CREATE INDEX runs_by_subject ON capsule.runs(project_id, subject);

CREATE TABLE capsule.facts(
  run_id bigint NOT NULL,
  seq    bigint NOT NULL,
  kind   text   NOT NULL,
  at     text   NOT NULL,
  body   text   NOT NULL,
  chain  bigint NOT NULL,
  PRIMARY KEY (run_id, seq)
) PARTITION BY RANGE (run_id);
CREATE TABLE capsule.facts_1 PARTITION OF capsule.facts FOR VALUES FROM (1) TO (100001);
CREATE TABLE capsule.facts_rest PARTITION OF capsule.facts DEFAULT;

-- Who works on a subject. An epoch is never given out again.
CREATE SEQUENCE capsule.epochs;
CREATE TABLE capsule.leases(
  project_id bigint NOT NULL REFERENCES capsule.projects,
  subject    text   NOT NULL,
  epoch      bigint NOT NULL DEFAULT 0,
  token      text   NOT NULL DEFAULT '',     -- of the claim that has it; '': nobody has
  run        text   NOT NULL DEFAULT '',
  pid        bigint NOT NULL DEFAULT 0,
  start_time bigint NOT NULL DEFAULT 0,
  boot_id    text   NOT NULL DEFAULT '',
  machine    text   NOT NULL DEFAULT '',
  host       text   NOT NULL DEFAULT '',
  since      text   NOT NULL DEFAULT '',
  beat       bigint NOT NULL DEFAULT 0,      -- capsule.clock.ms
  heard      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (project_id, subject)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- At most one step a second, by whoever comes; the others read what is there. A time in which
-- nobody came, such as that in which the database was away, counts as pause_ms at most: far less
-- than a lease, so that it ends none.
CREATE FUNCTION capsule_v1.tick() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE v_ms bigint; v_pause bigint;
BEGIN
  SELECT m.pause_ms INTO v_pause FROM capsule.meta m;
  UPDATE capsule.clock c SET
      ms = c.ms + least(v_pause, greatest(0, extract(epoch FROM clock_timestamp() - c.real) * 1000)::bigint),
      real = clock_timestamp()
    WHERE c.one = (SELECT k.one FROM capsule.clock k
                     WHERE k.real < clock_timestamp() - least(v_pause, 1000) * interval '1 ms'
                        OR k.real > clock_timestamp() + interval '1 s'  -- the server's was set back
                     FOR UPDATE SKIP LOCKED)
    RETURNING c.ms INTO v_ms;
  IF v_ms IS NULL THEN SELECT c.ms INTO v_ms FROM capsule.clock c; END IF;
  RETURN v_ms;
END $$;

CREATE FUNCTION capsule_v1.version() RETURNS int LANGUAGE sql STABLE AS $$
  SELECT version FROM capsule.meta;
$$;

CREATE FUNCTION capsule_v1.project(p_origin text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT id FROM capsule.projects WHERE origin = p_origin;
$$;

CREATE FUNCTION capsule_v1.name(p_project bigint) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT name FROM capsule.projects WHERE id = p_project;
$$;

-- Who has a subject, as far as one can see from here: nobody, when the lease is over.
CREATE FUNCTION capsule_v1.holder(p_project bigint, p_subject text)
RETURNS TABLE(epoch bigint, run text, pid bigint, start_time bigint, boot_id text, machine text, host text,
              since text) LANGUAGE sql STABLE AS $$
  SELECT l.epoch, l.run, l.pid, l.start_time, l.boot_id, l.machine, l.host, l.since
    FROM capsule.leases l, capsule.clock c, capsule.meta m
    WHERE l.project_id = p_project AND l.subject = p_subject AND l.token <> '' AND l.beat >= c.ms - m.lease_ms;
$$;

-- Takes a subject, or says who has it. `p_over`: the epoch of a holder whose death the caller has
-- seen with its own eyes; -1: of none. To be repeated with the same token: the answer stays.
CREATE FUNCTION capsule_v1.claim(p_project bigint, p_subject text, p_run text, p_home text, p_token text,
    p_over bigint, p_pid bigint, p_start_time bigint, p_boot_id text, p_machine text, p_host text, p_since text)
RETURNS TABLE(o_taken boolean, o_epoch bigint, o_run text, o_pid bigint, o_start_time bigint, o_boot_id text,
              o_machine text, o_host text, o_since text, o_silent_ms bigint) LANGUAGE plpgsql AS $$
DECLARE v_now bigint := capsule_v1.tick(); v_lease bigint; v_home text; l capsule.leases;
BEGIN
  SELECT m.lease_ms INTO v_lease FROM capsule.meta m;
  INSERT INTO capsule.leases(project_id, subject) VALUES (p_project, p_subject) ON CONFLICT DO NOTHING;
  SELECT * INTO l FROM capsule.leases k WHERE k.project_id = p_project AND k.subject = p_subject FOR UPDATE;
  -- Behind the lock, which whoever moves the run has.
  SELECT r.home INTO v_home FROM capsule.runs r WHERE r.project_id = p_project AND r.run = p_run;
  IF v_home <> p_home THEN RAISE EXCEPTION '%', v_home USING ERRCODE = 'CP004'; END IF;
  IF l.token <> p_token AND l.token <> '' AND l.epoch <> p_over AND l.beat >= v_now - v_lease THEN
    RETURN QUERY SELECT false, l.epoch, l.run, l.pid, l.start_time, l.boot_id, l.machine, l.host, l.since,
      greatest(0, extract(epoch FROM clock_timestamp() - l.heard) * 1000)::bigint;
    RETURN;
  END IF;
  IF l.token <> p_token THEN
    l.epoch := nextval('capsule.epochs');
    -- Whoever had it, or worked on a run of the subject that has not ended, appends nothing more.
    UPDATE capsule.runs r SET epoch = l.epoch, held = (r.run = p_run)
      WHERE r.project_id = p_project AND r.subject = p_subject
        AND (r.run = p_run OR r.ended_at = '' OR r.held);
  END IF;
  UPDATE capsule.leases k SET epoch = l.epoch, token = p_token, run = p_run, pid = p_pid,
      start_time = p_start_time, boot_id = p_boot_id, machine = p_machine, host = p_host, since = p_since,
      beat = v_now, heard = clock_timestamp()
    WHERE k.project_id = p_project AND k.subject = p_subject;
  RETURN QUERY SELECT true, l.epoch, p_run, p_pid, p_start_time, p_boot_id, p_machine, p_host, p_since, 0::bigint;
END $$;

-- False: it is somebody else's by now.
CREATE FUNCTION capsule_v1.beat(p_project bigint, p_subject text, p_epoch bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);  -- one that is lost is no harm
  UPDATE capsule.leases l SET beat = capsule_v1.tick(), heard = clock_timestamp()
    WHERE l.project_id = p_project AND l.subject = p_subject AND l.epoch = p_epoch AND l.token <> '';
  RETURN FOUND;
END $$;

CREATE FUNCTION capsule_v1.release(p_project bigint, p_subject text, p_epoch bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);  -- one that is lost costs a lease's time
  UPDATE capsule.leases l SET token = ''
    WHERE l.project_id = p_project AND l.subject = p_subject AND l.epoch = p_epoch;
  UPDATE capsule.runs r SET held = false
    WHERE r.project_id = p_project AND r.subject = p_subject AND r.epoch = p_epoch AND r.held;
END $$;

CREATE FUNCTION capsule_v1.holds(p_project bigint, p_subject text, p_epoch bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS(SELECT FROM capsule.leases l WHERE l.project_id = p_project AND l.subject = p_subject
                  AND l.epoch = p_epoch AND l.token <> '');
$$;

-- `p_epoch` is that of the caller's claim on the subject; 0: it has none.
CREATE FUNCTION capsule_v1.begin(p_project bigint, p_run text, p_workflow text, p_subject text, p_at text,
    p_home text, p_epoch bigint, p_kinds text[], p_ats text[], p_bodies text[], p_chains bigint[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n int := coalesce(array_length(p_kinds, 1), 0); v_id bigint;
BEGIN
  IF p_epoch <> 0 THEN
    -- Nobody takes the subject over before this is committed.
    PERFORM FROM capsule.leases l WHERE l.project_id = p_project AND l.subject = p_subject
      AND l.epoch = p_epoch AND l.token <> '' FOR KEY SHARE;
    IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'CP001'; END IF;
  END IF;
  INSERT INTO capsule.runs(project_id, run, workflow, subject, started_at, home, facts, last_seq, chain, epoch, held)
    VALUES (p_project, p_run, p_workflow, p_subject, p_at, p_home, n, n, p_chains[n + 1], p_epoch, p_epoch <> 0)
    RETURNING id INTO v_id;
  INSERT INTO capsule.facts(run_id, seq, kind, at, body, chain)
    SELECT v_id, i, p_kinds[i], p_ats[i], p_bodies[i], p_chains[i + 1] FROM generate_series(1, n) i;
  RETURN n;
END $$;

-- The fence and the place are looked at in the very UPDATE that moves the head. The first of the
-- chains is that of the fact after which these come.
CREATE FUNCTION capsule_v1.append(p_project bigint, p_run text, p_after bigint, p_epoch bigint,
    p_kinds text[], p_ats text[], p_bodies text[], p_chains bigint[], p_ended_at text, p_outcome text)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n int := coalesce(array_length(p_kinds, 1), 0); v_id bigint; r capsule.runs;
BEGIN
  UPDATE capsule.runs h SET last_seq = h.last_seq + n, facts = h.facts + n, chain = p_chains[n + 1],
      ended_at = coalesce(p_ended_at, h.ended_at), outcome = coalesce(p_outcome, h.outcome)
    WHERE h.project_id = p_project AND h.run = p_run AND h.last_seq = p_after AND h.chain = p_chains[1]
      AND CASE WHEN p_epoch = 0 THEN NOT h.held ELSE h.held AND h.epoch = p_epoch END
    RETURNING h.id INTO v_id;
  IF v_id IS NULL THEN
    SELECT * INTO r FROM capsule.runs h WHERE h.project_id = p_project AND h.run = p_run;
    IF NOT FOUND THEN RAISE EXCEPTION 'no such run' USING ERRCODE = 'CP003'; END IF;
    IF r.last_seq <> p_after OR r.chain <> p_chains[1] THEN
      RAISE EXCEPTION 'conflict' USING ERRCODE = 'CP002';
    END IF;
    RAISE EXCEPTION 'fenced' USING ERRCODE = 'CP001';
  END IF;
  INSERT INTO capsule.facts(run_id, seq, kind, at, body, chain)
    SELECT v_id, p_after + i, p_kinds[i], p_ats[i], p_bodies[i], p_chains[i + 1] FROM generate_series(1, n) i;
  RETURN p_after + n;
END $$;

-- Where a run stands for sure. It waits for whoever is just changing the head, and is a commit
-- itself: once it is acknowledged, so is all that it saw.
CREATE FUNCTION capsule_v1.settle(p_project bigint, p_run text) RETURNS TABLE(o_seq bigint, o_chain bigint)
LANGUAGE sql AS $$
  UPDATE capsule.runs r SET held = r.held WHERE r.project_id = p_project AND r.run = p_run
    RETURNING r.last_seq, r.chain;
$$;

CREATE FUNCTION capsule_v1.heads(p_project bigint, p_run text, p_subject text)
RETURNS TABLE(run text, workflow text, subject text, started_at text, ended_at text, outcome text, facts bigint,
              last_seq bigint, chain bigint, home text) LANGUAGE sql STABLE AS $$
  SELECT r.run, r.workflow, r.subject, r.started_at, r.ended_at, r.outcome, r.facts, r.last_seq, r.chain, r.home
    FROM capsule.runs r
    WHERE r.project_id = p_project AND (p_run IS NULL OR r.run = p_run)
      AND (p_subject IS NULL OR r.subject = p_subject)
    ORDER BY r.id;
$$;

CREATE FUNCTION capsule_v1.leases(p_project bigint)
RETURNS TABLE(subject text, run text, pid bigint, start_time bigint, boot_id text, machine text, host text,
              since text) LANGUAGE sql STABLE AS $$
  SELECT l.subject, l.run, l.pid, l.start_time, l.boot_id, l.machine, l.host, l.since
    FROM capsule.leases l, capsule.clock c, capsule.meta m
    WHERE l.project_id = p_project AND l.token <> '' AND l.beat >= c.ms - m.lease_ms ORDER BY l.subject;
$$;

-- First what the head says, as a row with the number -1; then the fact `p_after`, from which the
-- chain goes on, and those behind it. One statement: all of it is of one moment.
CREATE FUNCTION capsule_v1.facts(p_project bigint, p_run text, p_after bigint)
RETURNS TABLE(seq bigint, kind text, at text, body text, chain bigint) LANGUAGE sql STABLE AS $$
  WITH head AS (SELECT r.id, r.facts, r.last_seq, r.chain FROM capsule.runs r
                  WHERE r.project_id = p_project AND r.run = p_run)
  SELECT * FROM (
    SELECT -1::bigint, h.facts::text, h.last_seq::text, ''::text, h.chain FROM head h
    UNION ALL
    SELECT f.seq, f.kind, f.at, f.body, f.chain FROM capsule.facts f
      WHERE f.run_id = (SELECT h.id FROM head h) AND f.seq >= p_after) AS u(seq, kind, at, body, chain)
    ORDER BY 1;
$$;

-- Who may do what: readers look, workers carry runs on. Nobody but the owner touches a table.
-- Roles are of the whole server: another database may have made them, or be about to.
DO $$ BEGIN IF to_regrole('capsule_reader') IS NULL THEN CREATE ROLE capsule_reader NOLOGIN; END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN
  IF to_regrole('capsule_worker') IS NULL THEN CREATE ROLE capsule_worker NOLOGIN IN ROLE capsule_reader; END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
REVOKE ALL ON SCHEMA capsule, capsule_v1 FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA capsule FROM PUBLIC;
DO $$ DECLARE f record; BEGIN
  FOR f IN SELECT p.oid::regprocedure AS name FROM pg_proc p WHERE p.pronamespace = 'capsule_v1'::regnamespace LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = pg_catalog, pg_temp', f.name);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.name);
  END LOOP;
END $$;
GRANT USAGE ON SCHEMA capsule_v1 TO capsule_reader;
GRANT EXECUTE ON FUNCTION capsule_v1.version, capsule_v1.project, capsule_v1.holder, capsule_v1.heads,
  capsule_v1.facts, capsule_v1.leases, capsule_v1.name TO capsule_reader;
GRANT EXECUTE ON FUNCTION capsule_v1.claim, capsule_v1.beat, capsule_v1.release, capsule_v1.holds,
  capsule_v1.begin, capsule_v1.append, capsule_v1.settle TO capsule_worker;
)sql";

// All runs that are at home in one place move to another at once; one that somebody works on keeps
// all of them where they are.
constexpr const char* kHomes = R"sql(
CREATE FUNCTION capsule_v1.rehome(p_project bigint, p_from text, p_to text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE v_subject text; n bigint;
BEGIN
  INSERT INTO capsule.leases(project_id, subject)
    SELECT DISTINCT p_project, r.subject FROM capsule.runs r WHERE r.project_id = p_project AND r.home = p_from
    ON CONFLICT DO NOTHING;
  PERFORM FROM capsule.leases l WHERE l.project_id = p_project AND l.subject IN
    (SELECT r.subject FROM capsule.runs r WHERE r.project_id = p_project AND r.home = p_from)
    ORDER BY l.subject FOR UPDATE;
  SELECT l.subject INTO v_subject
    FROM capsule.leases l JOIN capsule.runs r ON r.project_id = l.project_id AND r.run = l.run, capsule.clock c,
      capsule.meta m
    WHERE l.project_id = p_project AND l.token <> '' AND l.beat >= c.ms - m.lease_ms AND r.home = p_from LIMIT 1;
  IF FOUND THEN RAISE EXCEPTION '%', v_subject USING ERRCODE = 'CP005'; END IF;
  UPDATE capsule.runs r SET home = p_to, held = false WHERE r.project_id = p_project AND r.home = p_from;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
ALTER FUNCTION capsule_v1.rehome SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
REVOKE ALL ON FUNCTION capsule_v1.rehome FROM PUBLIC;
GRANT EXECUTE ON FUNCTION capsule_v1.rehome TO capsule_worker;
)sql";

}  // namespace

std::span<const char* const> schema_steps() {
  static const char* const steps[] = {kFirst, kHomes, kBranchesStep, kWorkStep};
  return steps;
}

}  // namespace capsule::cluster
