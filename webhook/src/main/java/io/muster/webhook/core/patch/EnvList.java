package io.muster.webhook.core.patch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The variables of one container, in their order and as they were sent. Immutable. */
public final class EnvList {

  /**
   * One variable.
   *
   * @param sent all that is written about it
   */
  public record Entry(EnvVar variable, Value sent) {

    String name() {
      return variable.name();
    }
  }

  private final List<Entry> entries;
  private final Map<String, Integer> last = new HashMap<>();

  public EnvList(List<Entry> entries) {
    this.entries = List.copyOf(entries);
    for (int i = 0; i < entries.size(); i++) {
      last.put(entries.get(i).name(), i);
    }
  }

  /** All variables; names may come several times. */
  public List<Entry> entries() {
    return entries;
  }

  /** Where the variable's value comes from; of several of a name the last one counts. */
  public Optional<EnvVar.Source> source(String name) {
    return Optional.ofNullable(last.get(name)).map(i -> entries.get(i).variable().source());
  }

  /** Whether the entry at that position is the one of its name that counts. */
  public boolean counts(int position) {
    return last.get(entries.get(position).name()) == position;
  }
}
