// Counts the calls of operator new, on any thread, in a program that links support/allocations.cc.
#pragma once

int allocations_so_far();

template <class Action>
int allocations_of(const Action& action) {
  const int before = allocations_so_far();
  action();
  return allocations_so_far() - before;
}
