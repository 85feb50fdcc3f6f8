// The Python module: a list of faces, one per header of the core.
#include "bind.hpp"
#include "treewright/parallel/threads.hpp"

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

void bind_dispatch(nb::module_&);
void bind_counts(nb::module_&);
void bind_mapped(nb::module_&);
void bind_table_memory(nb::module_&);
void bind_scores(nb::module_&);
void bind_independence(nb::module_&);
void bind_searching(nb::module_&);
void bind_local_scores(nb::module_&);
void bind_class_search(nb::module_&);
void bind_bounded_search(nb::module_&);
void bind_chains(nb::module_&);
void bind_gaussian(nb::module_&);
void bind_normal_network(nb::module_&);
void bind_mixed_completions(nb::module_&);
void bind_undirected(nb::module_&);
void bind_dag_climb(nb::module_&);
void bind_directed(nb::module_&);
void bind_spanning(nb::module_&);
void bind_sampling(nb::module_&);
void bind_skeleton(nb::module_&);
void bind_tokens(nb::module_&);
void bind_csv(nb::module_&);
void bind_inference(nb::module_&);
void bind_expectation(nb::module_&);
void bind_expected_tables(nb::module_&);
void bind_clique_tree(nb::module_&);
void bind_gibbs(nb::module_&);
void bind_one_dependence(nb::module_&);
void bind_nodewise(nb::module_&);
void bind_consistent_tree(nb::module_&);
void bind_loopy(nb::module_&);
void bind_feature_design(nb::module_&);
void bind_graphical_lasso(nb::module_&);
void bind_graph_search(nb::module_&);
void bind_feature_graph(nb::module_&);
void bind_feature_program(nb::module_&);
void bind_row_set(nb::module_&);
void bind_cutset(nb::module_&);
void bind_efficient_markov(nb::module_&);
void bind_hidden_tree(nb::module_&);
void bind_mixture(nb::module_&);
void bind_testing(nb::module_&);

NB_MODULE(_core, m) {
  m.doc() = "The native core of treewright: loops over rows, cells, cliques and tests.";
  nb::set_leak_warnings(false);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    const nb::gil_scoped_release unlocked;
    closing::stop_calls();
  }));
#if __has_include(<pthread.h>)
  pthread_atfork(nullptr, nullptr, closing::begin_in_a_fork);
#endif
  m.def("set_threads", &tw::set_threads, "n"_a, "Threads that native calls may use; 0: the machine's cores.");
  m.def("threads", &tw::threads, "Threads that native calls may use.");
  bind_dispatch(m);
  bind_counts(m);
  bind_mapped(m);
  bind_table_memory(m);
  bind_scores(m);
  bind_independence(m);
  bind_searching(m);
  bind_local_scores(m);
  bind_class_search(m);
  bind_bounded_search(m);
  bind_chains(m);
  bind_gaussian(m);
  bind_normal_network(m);
  bind_mixed_completions(m);
  bind_undirected(m);
  bind_dag_climb(m);
  bind_directed(m);
  bind_spanning(m);
  bind_sampling(m);
  bind_skeleton(m);
  bind_tokens(m);
  bind_csv(m);
  bind_inference(m);
  bind_expectation(m);
  bind_expected_tables(m);
  bind_clique_tree(m);
  bind_gibbs(m);
  bind_one_dependence(m);
  bind_nodewise(m);
  bind_consistent_tree(m);
  bind_loopy(m);
  bind_feature_design(m);
  bind_graphical_lasso(m);
  bind_graph_search(m);
  bind_feature_graph(m);
  bind_feature_program(m);
  bind_row_set(m);
  bind_cutset(m);
  bind_efficient_markov(m);
  bind_hidden_tree(m);
  bind_mixture(m);
  bind_testing(m);
}
