package io.muster.faults;

import java.util.function.Predicate;

/**
 * A moment in the flow of requests at which something is killed. Immutable.
 *
 * @param nth counts the requests that match, from 1
 * @param replies for {@link Moment#AFTER_REPLY} only: whether a reply to such a request counts
 */
public record KillPoint(
    Predicate<HttpCall> calls, int nth, Moment moment, Predicate<HttpCall.Reply> replies) {

  /** How far the request has come. */
  public enum Moment {
    /** It never reaches the server. */
    BEFORE_FORWARD,
    /** It has reached the server; what becomes of it there is open. */
    AFTER_FORWARD,
    /** It was carried out, but its sender never learns that. */
    AFTER_REPLY
  }

  public KillPoint {
    if (nth < 1) {
      throw new IllegalArgumentException("nth is " + nth);
    }
  }

  static KillPoint on(Predicate<HttpCall> calls, int nth, Moment moment) {
    return new KillPoint(calls, nth, moment, HttpCall.Reply::isSuccess);
  }

  KillPoint answered(Predicate<HttpCall.Reply> wanted) {
    return new KillPoint(calls, nth, moment, wanted);
  }
}
