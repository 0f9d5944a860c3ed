package io.muster.webhook.core;

import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.PatchOp.Add;
import io.muster.webhook.core.patch.PatchOp.Remove;
import io.muster.webhook.core.patch.PatchOp.Replace;
import io.muster.webhook.core.patch.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What becomes of one container's variables. New ones stand in front, so that those of the user may
 * refer to them. Serves one call; not for sharing.
 */
final class EnvEdits {

  private final Injectable container;
  private final List<Edit> inPlace = new ArrayList<>();
  private final List<Edit> removals = new ArrayList<>();
  private final List<Added> additions = new ArrayList<>();

  private record Added(EnvVar variable, Rule rule, String profile) {}

  EnvEdits(Injectable container) {
    this.container = container;
  }

  boolean has(String name) {
    return container.facts().env(name).isPresent()
        || additions.stream().anyMatch(added -> added.variable().name().equals(name));
  }

  void add(EnvVar variable, Rule rule, String profile) {
    additions.add(new Added(variable, rule, profile));
  }

  /** Puts another value where the variable stands; of several of a name the last one counts. */
  void replace(EnvVar variable, Rule rule, String profile) {
    var path = container.path() + "/env/" + positions(variable.name()).getLast();
    inPlace.add(new Edit(new Replace(path, variable.value()), rule, profile));
  }

  void remove(String name, Rule rule, String profile) {
    for (int position : positions(name)) {
      var path = container.path() + "/env/" + position;
      removals.add(new Edit(new Remove(path), rule, profile));
    }
  }

  private List<Integer> positions(String name) {
    var env = container.facts().env();
    return IntStream.range(0, env.size())
        .filter(i -> env.get(i).name().equals(name))
        .boxed()
        .toList();
  }

  /** The steps, in an order in which no position shifts before it is used. */
  List<Edit> edits() {
    var edits = new ArrayList<>(inPlace);
    removals.sort((a, b) -> Integer.compare(last(b), last(a)));
    edits.addAll(removals);
    var path = container.path() + "/env";
    for (int i = 0; i < additions.size(); i++) {
      var added = additions.get(i);
      if (i == 0 && container.facts().env().isEmpty()) {
        edits.add(new Edit(new Add(path, Value.EMPTY_ARRAY), added.rule(), added.profile()));
      }
      edits.add(
          new Edit(
              new Add(path + "/" + i, added.variable().value()), added.rule(), added.profile()));
    }
    return edits;
  }

  private static int last(Edit edit) {
    var path = edit.op().path();
    return Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
  }
}
