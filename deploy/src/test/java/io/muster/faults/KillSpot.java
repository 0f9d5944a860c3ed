package io.muster.faults;

import io.muster.faults.KillPoint.Moment;
import java.util.random.RandomGenerator;

/** Where in the way of a gang something is killed. */
public enum KillSpot {
  /** A member has its place: filter was answered, kube-scheduler does not hear it. */
  P1("Muster after the plan"),
  /** Some bind calls are held, the next one does not arrive. */
  P2("Muster while the barrier holds"),
  /** The write-ahead record is stored, Muster does not hear it. */
  P3("Muster after the write-ahead record"),
  /** Some bindings are stored, others are not. */
  P4("Muster between two bindings"),
  /** kube-scheduler is killed while its bind calls are held. */
  P5("kube-scheduler while the barrier holds");

  private final String meaning;

  KillSpot(String meaning) {
    this.meaning = meaning;
  }

  /** What is killed, and when. */
  public String meaning() {
    return meaning;
  }

  /** Whether the members passed on before must be bound when the kill comes. */
  boolean isBetweenBindings() {
    return this == P4;
  }

  boolean killsScheduler() {
    return this == P5;
  }

  /** Muster dies before it has that member's gate of the namespace taken off, counted from 1. */
  public static KillPoint betweenReleases(String namespace, int nth) {
    return KillPoint.on(call -> call.isReleaseOf(namespace), nth, Moment.BEFORE_FORWARD);
  }

  /** The proxy whose requests are counted. */
  KillingProxy proxy(ProxiedMuster muster) {
    return switch (this) {
      case P1, P2, P5 -> muster.toMuster();
      case P3, P4 -> muster.toApiServer();
    };
  }

  /** A point in the way of the gang of four in that namespace; which one exactly is chance. */
  public KillPoint point(String namespace, RandomGenerator chance) {
    return switch (this) {
      case P1 ->
          KillPoint.on(call -> call.isFilterOf(namespace), chance.nextInt(1, 4), Moment.AFTER_REPLY)
              .answered(reply -> !reply.json().path("NodeNames").isEmpty());
      case P2 ->
          KillPoint.on(
              call -> call.isBindOf(namespace), chance.nextInt(2, 5), Moment.BEFORE_FORWARD);
      case P3 -> KillPoint.on(call -> call.isRecordOf(namespace), 1, Moment.AFTER_REPLY);
      case P4 ->
          KillPoint.on(
              call -> call.isBindingOf(namespace), chance.nextInt(2, 5), Moment.BEFORE_FORWARD);
      case P5 ->
          KillPoint.on(
              call -> call.isBindOf(namespace), chance.nextInt(1, 4), Moment.AFTER_FORWARD);
    };
  }
}
