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

  /** The gang of the same dialect that is so written as {@code namespace/name}. */
  public GangId sibling(String written) {
    int slash = written.indexOf('/');
    return new GangId(dialect, written.substring(0, slash), written.substring(slash + 1));
  }

  /** {@code namespace/name}, the way users and events write it. */
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
