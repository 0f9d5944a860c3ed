package io.muster.webhook.core;

import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.PatchOp;
import io.muster.webhook.core.patch.PatchOp.Add;
import io.muster.webhook.core.patch.PatchOp.Remove;
import io.muster.webhook.core.patch.PatchOp.Replace;
import io.muster.webhook.core.patch.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What becomes of one container's variables. New ones stand in front, so that those of the user may
 * refer to them. Serves one call; not for sharing.
 */
final class EnvEdits {

  private final Injectable container;
  private final List<Change> additions = new ArrayList<>();
  private final Map<String, Change> replacements = new HashMap<>();
  private final Map<String, Reason> removals = new HashMap<>();

  private record Reason(Rule rule, String profile) {

    Edit edit(PatchOp op) {
      return new Edit(op, rule, profile);
    }
  }

  private record Change(EnvVar variable, Reason reason) {}

  EnvEdits(Injectable container) {
    this.container = container;
  }

  boolean has(String name) {
    return container.facts().env(name).isPresent()
        || additions.stream().anyMatch(added -> added.variable().name().equals(name));
  }

  void add(EnvVar variable, Rule rule, String profile) {
    additions.add(new Change(variable, new Reason(rule, profile)));
  }

  /** Puts another value where the variable stands; of several of a name the last one counts. */
  void replace(EnvVar variable, Rule rule, String profile) {
    replacements.put(variable.name(), new Change(variable, new Reason(rule, profile)));
  }

  void remove(String name, Rule rule, String profile) {
    removals.put(name, new Reason(rule, profile));
  }

  /** Each change with its reason, in an order in which no position shifts before it is used. */
  List<Edit> edits() {
    var edits = new ArrayList<Edit>();
    var removing = new ArrayList<Edit>();
    var entries = container.facts().env().entries();
    for (int i = 0; i < entries.size(); i++) {
      var name = entries.get(i).variable().name();
      var path = path() + "/" + i;
      if (removals.containsKey(name)) {
        removing.add(removals.get(name).edit(new Remove(path)));
      } else if (isReplaced(name, i)) {
        var change = replacements.get(name);
        edits.add(change.reason().edit(new Replace(path, change.variable().value())));
      }
    }
    edits.addAll(removing.reversed());
    for (int i = 0; i < additions.size(); i++) {
      var added = additions.get(i);
      if (i == 0 && entries.isEmpty()) {
        edits.add(added.reason().edit(new Add(path(), Value.EMPTY_ARRAY)));
      }
      edits.add(added.reason().edit(new Add(path() + "/" + i, added.variable().value())));
    }
    return edits;
  }

  /** All changes as one step, which writes the list anew; empty where nothing changes. */
  Optional<PatchOp> step() {
    if (additions.isEmpty() && replacements.isEmpty() && removals.isEmpty()) {
      return Optional.empty();
    }
    var entries = container.facts().env().entries();
    var list = new ArrayList<Value>(additions.size() + entries.size());
    additions.forEach(added -> list.add(added.variable().value()));
    for (int i = 0; i < entries.size(); i++) {
      var name = entries.get(i).variable().name();
      if (isReplaced(name, i)) {
        list.add(replacements.get(name).variable().value());
      } else if (!removals.containsKey(name)) {
        list.add(entries.get(i).sent());
      }
    }
    var value = new Value.Items(list);
    return Optional.of(entries.isEmpty() ? new Add(path(), value) : new Replace(path(), value));
  }

  private boolean isReplaced(String name, int position) {
    return replacements.containsKey(name) && container.facts().env().counts(position);
  }

  private String path() {
    return container.path() + "/env";
  }
}
