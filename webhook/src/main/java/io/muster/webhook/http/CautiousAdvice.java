package io.muster.webhook.http;

import io.muster.extender.core.cluster.Pod;
import io.muster.webhook.port.StartAdvice;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes failing advice for none: the gate saves retries, no pod is refused for want of it. */
record CautiousAdvice(StartAdvice advice) implements StartAdvice {

  private static final Logger log = LoggerFactory.getLogger(CautiousAdvice.class);

  @Override
  public boolean mustWait(Pod pod) {
    try {
      return advice.mustWait(pod);
    } catch (RuntimeException e) {
      log.warn("no advice whether the gang can start, pod not gated pod={}", pod.key(), e);
      return false;
    }
  }
}
