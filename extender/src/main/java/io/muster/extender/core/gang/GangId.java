package io.muster.extender.core.gang;

/** Names a gang: the same name in two namespaces or two dialects is two gangs. Immutable. */
public record GangId(Dialect dialect, String namespace, String name) implements Comparable<GangId> {

  /** By namespace, name and dialect; asked more often than anything else where thousands wait. */
  @Override
  public int compareTo(GangId other) {
    int byNamespace = namespace.compareTo(other.namespace);
    if (byNamespace != 0) {
      return byNamespace;
    }
    int byName = name.compareTo(other.name);
    return byName == 0 ? dialect.compareTo(other.dialect) : byName;
  }

  /** The gang of the same dialect that is so written as {@code namespace/name}. */
  public GangId sibling(String written) {
    int slash = written.indexOf('/');
    boolean isThis =
        slash == namespace.length()
            && written.length() == slash + 1 + name.length()
            && written.endsWith(name)
            && written.startsWith(namespace);
    if (isThis) {
      return this;
    }
    return new GangId(dialect, written.substring(0, slash), written.substring(slash + 1));
  }

  /** As users of a namespace are told of it: they may not know what is in another one. */
  public String shownIn(String userNamespace) {
    return userNamespace.equals(namespace) ? "gang " + this : "a gang of another namespace";
  }

  /** {@code namespace/name}, the way users and events write it. */
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
