package io.muster.extender.port;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Answer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Where kube-scheduler's questions are answered. Never throws; safe for concurrent use. */
public interface SchedulerExtender {

  /** Which of the offered nodes may take the pod; answered from memory. */
  Reply<Answer> filter(Pod pod, List<String> offered);

  /** The same about a pod that was seen in the cluster; empty if it was not. */
  Optional<Reply<Answer>> filterKnown(PodKey pod, List<String> offered);

  /** Scores of offered nodes; answered from memory. */
  Reply<Answer.Scores> prioritize(Pod pod, List<String> offered);

  /**
   * Takes a bind call. The future always completes, never exceptionally, before httpTimeout: empty
   * once the pod is bound, else with the error.
   */
  CompletableFuture<Optional<String>> bind(PodKey pod, String node);

  /**
   * The nodes on which these pods of lower priority may be ended for this one.
   *
   * @param victims uids by node
   */
  Set<String> preemptable(Pod pod, Map<String, Set<String>> victims);
}
