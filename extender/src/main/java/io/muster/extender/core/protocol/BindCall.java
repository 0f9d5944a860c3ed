package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.PodKey;

/** One bind call of kube-scheduler; answered by exactly one {@link Effect.AnswerBind}. */
public record BindCall(long id, PodKey pod, String node) {}
