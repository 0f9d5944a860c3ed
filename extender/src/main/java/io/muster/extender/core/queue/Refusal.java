package io.muster.extender.core.queue;

import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Stated;

/** Why a queue lets a gang or a pod wait, whatever room there is. Immutable. */
public sealed interface Refusal {

  /** The reason as one sentence. */
  String sentence();

  /** What would change it, one sentence. */
  String remedy();

  /** Whether the queue has too little left, so that it would help if others of it ended. */
  default boolean isFull() {
    return switch (this) {
      case Limit _, Quota _, Lasting _ -> true;
      case Unknown _, Barred _, Behind _ -> false;
    };
  }

  private static String devices(long count) {
    return Counted.of(count, "device");
  }

  private static String come(long count) {
    return count == 1 ? "comes" : "come";
  }

  private static String needed(long more) {
    return more == 1 ? "1 more is" : more + " more are";
  }

  /**
   * There is no queue of that name, which is whatever a pod states: any text of any length.
   *
   * @param open those that let pods of the namespace in
   */
  record Unknown(String queue, String open) implements Refusal {

    @Override
    public String sentence() {
      return "there is no queue \"%s\"".formatted(Stated.legible(queue));
    }

    @Override
    public String remedy() {
      return ("create the pods again without muster.io/queue, or with one of: %s; or configure the"
              + " queue")
          .formatted(open);
    }
  }

  /**
   * It does not let pods of the namespace in.
   *
   * @param open those that do
   */
  record Barred(String queue, String namespace, String open) implements Refusal {

    @Override
    public String sentence() {
      return "queue \"%s\" is not open to namespace \"%s\"".formatted(queue, namespace);
    }

    @Override
    public String remedy() {
      return ("create the pods again without muster.io/queue, or with one of: %s; or let the"
              + " namespace into the queue")
          .formatted(open);
    }
  }

  /** It would hold more than it ever may. */
  record Limit(String queue, long limit, long used, long more) implements Refusal {

    @Override
    public String sentence() {
      return "queue \"%s\" may hold %s, holds %d, and %s needed"
          .formatted(queue, devices(limit), used, needed(more));
    }

    @Override
    public String remedy() {
      return more > limit
          ? "make the gang smaller, or raise the limit of the queue"
          : "wait until %s of the queue %s free, or raise its limit"
              .formatted(devices(used + more - limit), come(used + more - limit));
    }
  }

  /**
   * It would borrow more than others leave idle.
   *
   * @param all devices that are some queue's own: no queue ever holds more
   */
  record Quota(String queue, long quota, long used, long more, long idle, long all)
      implements Refusal {

    @Override
    public String sentence() {
      return "queue \"%s\" has a quota of %s, holds %d, and %s needed; others leave %d idle"
          .formatted(queue, devices(quota), used, needed(more), idle);
    }

    @Override
    public String remedy() {
      return more > all
          ? "make the gang smaller, or raise the quota of the queue"
          : "wait until %s of this queue or of others with a quota %s free, or raise its quota"
              .formatted(devices(used + more - quota - idle), come(used + more - quota - idle));
    }
  }

  /** Its queue holds it back for a gang that comes before it. */
  record Behind(GangId gang) implements Refusal {

    @Override
    public String sentence() {
      return "its queue keeps what comes free for a gang that comes before it";
    }

    @Override
    public String remedy() {
      return "wait until that gang has started, or raise what the queue may hold";
    }
  }

  /** It would borrow for pods that are never preempted, since nobody would make them anew. */
  record Lasting(String queue, long quota, long used, long more) implements Refusal {

    @Override
    public String sentence() {
      return ("queue \"%s\" has a quota of %s, holds %d, and %s needed; pods without a controller"
              + " may not borrow")
          .formatted(queue, devices(quota), used, needed(more));
    }

    @Override
    public String remedy() {
      var others = "create the pods by a Job, or with muster.io/preemptible: \"true\"";
      return more > quota
          ? others
          : "wait until %s of the queue %s free; or %s"
              .formatted(devices(used + more - quota), come(used + more - quota), others);
    }
  }
}
