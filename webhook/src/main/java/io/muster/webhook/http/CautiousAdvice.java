package io.muster.webhook.http;

import io.muster.extender.core.cluster.Pod;
import io.muster.webhook.port.StartAdvice;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes failing advice for none: the gate saves retries, no pod is refused for want of it. Logs
 * when advice begins to fail, not each pod. Safe for concurrent use.
 */
final class CautiousAdvice implements StartAdvice {

  private static final Logger log = LoggerFactory.getLogger(CautiousAdvice.class);

  private final StartAdvice advice;
  private final AtomicBoolean isFailing = new AtomicBoolean();

  CautiousAdvice(StartAdvice advice) {
    this.advice = advice;
  }

  @Override
  public boolean mustWait(Pod pod) {
    try {
      boolean mustWait = advice.mustWait(pod);
      isFailing.set(false);
      return mustWait;
    } catch (RuntimeException e) {
      if (!isFailing.getAndSet(true)) {
        log.warn("advice whether gangs can start failed, pods are not gated", e);
      }
      return false;
    }
  }
}
