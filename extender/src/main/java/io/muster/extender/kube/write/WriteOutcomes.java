package io.muster.extender.kube.write;

import io.muster.extender.port.WriteMeter;
import io.muster.extender.port.WriteMeter.Kind;
import io.muster.extender.port.WriteMeter.Outcome;
import java.util.function.Supplier;

/**
 * Counts how each write ended, and logs those that failed. What there was no need for any more has
 * not failed. Safe for concurrent use.
 */
final class WriteOutcomes {

  private final WriteMeter meter;
  private final WriteFailures failures;

  WriteOutcomes(WriteMeter meter, WriteFailures failures) {
    this.meter = meter;
    this.failures = failures;
  }

  /**
   * Carries a write out that nobody waits for; it does not throw.
   *
   * @param subject a pod or a gang
   * @return whether the same write may well succeed later
   */
  boolean note(Kind kind, Object subject, Supplier<ApiReply> write) {
    try {
      var reply = write.get();
      if (reply.isDone()) {
        count(kind, Outcome.DONE);
      } else if (reply.saysGone() || reply.saysNamespaceEnds()) {
        count(kind, Outcome.NEEDLESS);
      } else {
        failed(kind, subject, reply.message());
      }
      return reply.isTransient();
    } catch (RuntimeException e) {
      failed(kind, subject, "a fault of Muster: " + e);
      return false;
    }
  }

  void failed(Kind kind, Object subject, String message) {
    count(kind, Outcome.FAILED);
    failures.add(kind, subject, message);
  }

  void count(Kind kind, Outcome outcome) {
    meter.wrote(kind, outcome);
  }
}
