package io.muster.extender.core.gang;

import java.util.Comparator;

/** Names a gang: the same name in two namespaces or two dialects is two gangs. Immutable. */
public record GangId(Dialect dialect, String namespace, String name) implements Comparable<GangId> {

  private static final Comparator<GangId> ORDER =
      Comparator.comparing(GangId::namespace)
          .thenComparing(GangId::name)
          .thenComparing(GangId::dialect);

  @Override
  public int compareTo(GangId other) {
    return ORDER.compare(this, other);
  }

  /** {@code namespace/name}, the way users and events write it. */
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
