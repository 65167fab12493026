// The program, whatever is linked to it: the words of a call to its exit code.
#pragma once

namespace capsule::cli {

// What must not pay for anything else, and what is not for people. Does not return when the words
// are one of these.
void begin(int argc, char** argv);

// A call that needs the database part is executed by the program that has it, in the place of this
// one. Returns when it does not need that; 2 once it was said that it could not be done.
int hand_over(int argc, char** argv);

int run_words(int argc, char** argv);

}  // namespace capsule::cli
