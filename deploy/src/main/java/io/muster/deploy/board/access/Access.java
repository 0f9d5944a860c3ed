package io.muster.deploy.board.access;

import java.util.Set;

/**
 * What a viewer may see. Immutable.
 *
 * @param allNamespaces gangs of every namespace; namespaces is empty then
 * @param namespaces whose gangs
 * @param nodes names and labels of nodes
 * @param queues all queues; else only those that gangs of {@code namespaces} are in
 */
public record Access(boolean allNamespaces, Set<String> namespaces, boolean nodes, boolean queues) {

  public static final Access ALL = new Access(true, Set.of(), true, true);

  /** Of somebody who has no rights, or of whom nothing is known yet. */
  public static final Access NOTHING = new Access(false, Set.of(), false, false);

  public Access {
    namespaces = Set.copyOf(namespaces);
  }

  public boolean sees(String namespace) {
    return allNamespaces || namespaces.contains(namespace);
  }

  public boolean isAll() {
    return equals(ALL);
  }
}
