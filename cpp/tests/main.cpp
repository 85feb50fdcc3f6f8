#include "check.hpp"

/// With an argument only the cases of that file, named without its folder and ending.
int main(int n, char** arguments) { return check::run_all(n > 1 ? arguments[1] : ""); }
