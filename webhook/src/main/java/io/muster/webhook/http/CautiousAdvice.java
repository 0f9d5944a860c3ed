package io.muster.webhook.http;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.protocol.Birth;
import io.muster.extender.core.protocol.Siblings;
import io.muster.webhook.port.BirthAdvice;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes failing advice for none: place and gate save work, no pod is refused for want of them. Logs
 * when advice begins to fail, not each pod. Safe for concurrent use.
 */
final class CautiousAdvice implements BirthAdvice {

  private static final Logger log = LoggerFactory.getLogger(CautiousAdvice.class);

  private final BirthAdvice advice;
  private final AtomicBoolean isFailing = new AtomicBoolean();

  CautiousAdvice(BirthAdvice advice) {
    this.advice = advice;
  }

  @Override
  public Birth at(Pod pod) {
    return asked(() -> advice.at(pod), new Birth.Free());
  }

  @Override
  public Optional<Siblings> siblings(Membership member) {
    return asked(() -> advice.siblings(member), Optional.empty());
  }

  private <T> T asked(Supplier<T> question, T otherwise) {
    try {
      var answer = question.get();
      isFailing.set(false);
      return answer;
    } catch (RuntimeException e) {
      if (!isFailing.getAndSet(true)) {
        log.warn("advice about gangs failed, pods are neither placed nor gated", e);
      }
      return otherwise;
    }
  }
}
