// A vector whose places are numbers of the program's own, such as those of tasks: ints, of which -1
// is none. A number that is no place of it breaks an invariant.
#pragma once

#include <cstddef>
#include <vector>

#include "base/check.h"

namespace capsule {

template <class T>
class Numbered : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  using std::vector<T>::operator[];
  T& operator[](int number) { return std::vector<T>::operator[](place(number)); }
  const T& operator[](int number) const { return std::vector<T>::operator[](place(number)); }

  int count() const { return static_cast<int>(this->size()); }

 private:
  std::size_t place(int number) const {
    CHECK(number >= 0 && number < count());
    return static_cast<std::size_t>(number);
  }
};

}  // namespace capsule
