#include "agent/rehearsal/rehearsal.h"

namespace capsule::agent::rehearsal {

std::string_view built_in_cassette() {
  return R"cassette(cassette: 1
about: Walks any project through the pipeline without a model. Adds one small file.
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
)cassette";
}

}  // namespace capsule::agent::rehearsal
