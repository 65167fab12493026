#include "agent/rehearsal/rehearsal.h"

namespace capsule::agent::rehearsal {

std::string_view built_in_cassette() {
  return R"cassette(cassette: 1
about: Walks any project through the pipeline, and through auto mode, without a model. Adds one small file.
takes:
  - phase: test-writer
    steps:
      - print: |
          This is a rehearsal: no model is asked, and no tests are written.
          A model would read worklog.md now and write failing tests here.
      - worklog: |
          ### Attempt ${CAPSULE_ATTEMPT:-1}

          - Status: PASS
          - Rehearsal: no tests were written.
      - signal:
          status: PASS
          feedback: "Rehearsal: no tests were written."
          files_changed: []
          summary: Rehearsed the test-writer phase

  - phase: test-review
    steps:
      - print: "Rehearsal: a model would judge the tests now."
      - worklog: |
          ### Attempt ${CAPSULE_ATTEMPT:-1}

          - Status: complete
          - Rehearsal: there were no tests to review.

          Verdict: PASS
      - signal:
          status: PASS
          feedback: "Rehearsal: there were no tests to review."
          files_changed: []
          summary: Rehearsed the test-review phase

  - phase: execute
    steps:
      - print: "Rehearsal: a model would implement now. One small file stands in for its work."
      - write: capsule-rehearsal/${CAPSULE_BEAD:-no-bead}.md
        text: |
          # A rehearsal of ${CAPSULE_BEAD:-a phase}

          Capsule wrote this file while it rehearsed its pipeline here, without a model. Nothing
          else was changed. To take it back, revert the merge that brought it and open the bead
          again:

              git log --merges --oneline -- capsule-rehearsal
              git revert -m 1 COMMIT
      - worklog: |
          ### Attempt ${CAPSULE_ATTEMPT:-1}

          - Status: PASS
          - Change: capsule-rehearsal/${CAPSULE_BEAD:-no-bead}.md
      - signal:
          status: PASS
          feedback: "Rehearsal: one file was written."
          files_changed: ["capsule-rehearsal/${CAPSULE_BEAD:-no-bead}.md"]
          summary: Rehearsed the execute phase

  - phase: execute-review
    steps:
      - print: "Rehearsal: a model would review the change now."
      - worklog: |
          ### Attempt ${CAPSULE_ATTEMPT:-1}

          - Status: complete
          - Rehearsal: nothing was reviewed.

          Verdict: PASS
      - signal:
          status: PASS
          feedback: "Rehearsal: nothing was reviewed."
          files_changed: []
          summary: Rehearsed the execute-review phase

  - phase: sign-off
    steps:
      - print: "Rehearsal: a model would check the whole task now."
      - worklog: |
          ### Attempt ${CAPSULE_ATTEMPT:-1}

          - Status: complete
          - Rehearsal: nothing was checked.

          Verdict: PASS
      - signal:
          status: PASS
          feedback: "Rehearsal: nothing was checked."
          files_changed: []
          summary: Rehearsed the sign-off phase

  - phase: merge
    steps:
      - print: "Rehearsal: committing the one file."
      - run: [git, add, --, "capsule-rehearsal/${CAPSULE_BEAD:-no-bead}.md"]
      - run: [git, commit, -q, -m, "${CAPSULE_COMMIT_MSG:-Rehearse the pipeline}"]
      - run: [git, rev-parse, HEAD]
        save: commit
      - signal:
          status: PASS
          feedback: "Rehearsal: committed one file."
          files_changed: ["capsule-rehearsal/${CAPSULE_BEAD:-no-bead}.md"]
          summary: Rehearsed the merge phase
          commit_hash: ${commit}

  - phase: expansion
    steps:
      - print: |
          Rehearsal: a model would find out what is asked for now.

          ---
          SIGNAL: EXPANSION_COMPLETE
          PHASE: expansion
          STATUS: complete
          TIMESTAMP: 2026-01-01T00:00:00Z
          NEXT: init
          ---

  - phase: init
    steps:
      - print: |
          Rehearsal: a model would look at the project now.

          ---
          SIGNAL: INIT_COMPLETE
          PHASE: init
          STATUS: complete
          TIMESTAMP: 2026-01-01T00:00:00Z
          NEXT: planning
          ---

  - phase: planning
    steps:
      - write: .caw/task_plan.md
        text: |
          1. Rehearse: write one small file.
      - print: |
          Rehearsal: a model would plan now.

          ---
          SIGNAL: PLANNING_COMPLETE
          PHASE: planning
          STATUS: complete
          TIMESTAMP: 2026-01-01T00:00:00Z
          NEXT: execution
          ---

  - phase: execution
    steps:
      - write: capsule-rehearsal/auto.md
        text: |
          # A rehearsal of auto mode

          Capsule wrote this file while it rehearsed auto mode here, without a model. Nothing else
          was changed. To take it back, revert the merge that brought it.
      - print: |
          Rehearsal: one small file stands in for a model's work.

          ---
          SIGNAL: EXECUTION_COMPLETE
          PHASE: execution
          STATUS: complete
          TIMESTAMP: 2026-01-01T00:00:00Z
          NEXT: qa
          ---

  - phase: qa
    steps:
      - print: |
          Rehearsal: a model would mend what the checks found now.

          ---
          SIGNAL: QA_COMPLETE
          PHASE: qa
          STATUS: complete
          TIMESTAMP: 2026-01-01T00:00:00Z
          NEXT: review
          ---

  - phase: review-functional
    steps:
      - print: |
          Rehearsal: nothing was reviewed.

          VERDICT: APPROVED

  - phase: review-security
    steps:
      - print: |
          Rehearsal: nothing was reviewed.

          VERDICT: APPROVED

  - phase: review-quality
    steps:
      - print: |
          Rehearsal: nothing was reviewed.

          VERDICT: APPROVED

  - phase: fix
    steps:
      - print: |
          Rehearsal: a model would mend what the reviewers raised now.

          ---
          SIGNAL: FIX_COMPLETE
          PHASE: fix
          STATUS: complete
          TIMESTAMP: 2026-01-01T00:00:00Z
          NEXT: check
          ---

  - phase: check
    steps:
      - print: |
          Rehearsal: a model would hold the change against the project's rules now.

          ---
          SIGNAL: CHECK_COMPLETE
          PHASE: check
          STATUS: complete
          TIMESTAMP: 2026-01-01T00:00:00Z
          NEXT: reflect
          ---

  - phase: reflect
    steps:
      - print: |
          ## Learnings

          - A rehearsal of auto mode asks no model.

          ---
          SIGNAL: REFLECT_COMPLETE
          PHASE: reflect
          STATUS: complete
          TIMESTAMP: 2026-01-01T00:00:00Z
          NEXT: none
          ---
)cassette";
}

}  // namespace capsule::agent::rehearsal
