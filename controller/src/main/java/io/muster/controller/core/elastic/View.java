package io.muster.controller.core.elastic;

import java.util.ArrayList;
import java.util.List;

/**
 * What is so now. Confined to one thread.
 *
 * @param waiting gangs in the order of the line, without those that grow jobs
 * @param online pods without a gang that find no room
 * @param leaving uids of pods that are on their way out anyway
 */
public record View(
    List<ResizableJob> jobs,
    List<Waiting> waiting,
    List<OnlinePod> online,
    List<String> leaving,
    CapacityOracle room) {

  /** A gang that waits though enough of its members are there. Immutable. */
  public record Waiting(String gang, int priority) {}

  /**
   * A pod of an online service, or any other that is no member of a gang. Immutable.
   *
   * @param shape the same for pods that ask for the same
   */
  public record OnlinePod(String uid, String namespace, int priority, String shape) {}

  public View {
    jobs = List.copyOf(jobs);
    waiting = List.copyOf(waiting);
    online = List.copyOf(online);
    leaving = List.copyOf(leaving);
  }

  /** The same once these pods are on their way out, too. */
  View without(List<String> uids) {
    var all = new ArrayList<>(leaving);
    all.addAll(uids);
    return new View(jobs, waiting, online, all, room);
  }

  /** The same with these jobs alone. */
  View with(List<ResizableJob> some) {
    return new View(some, waiting, online, leaving, room);
  }
}
