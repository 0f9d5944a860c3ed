package io.muster.extender.http;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.port.Reply;
import io.muster.extender.port.SchedulerExtender;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** A desk that answers what a test lays on it. */
final class FakeDesk implements SchedulerExtender {

  volatile Reply<Answer> filterReply = new Reply.Unavailable<>("not set");
  volatile Reply<Answer.Scores> scores = new Reply.Answered<>(new Answer.Scores(Map.of()));
  volatile Set<String> preemptable = Set.of();
  volatile List<String> offered = List.of();
  final Map<PodKey, CompletableFuture<Optional<String>>> binds = new ConcurrentHashMap<>();
  final Map<PodKey, String> nodes = new ConcurrentHashMap<>();

  @Override
  public Optional<Reply<Answer>> filterKnown(PodKey pod, List<String> names) {
    return Optional.empty();
  }

  @Override
  public Reply<Answer> filter(Pod pod, List<String> names) {
    offered = names;
    return filterReply;
  }

  @Override
  public Reply<Answer.Scores> prioritize(Pod pod, List<String> names) {
    offered = names;
    return scores;
  }

  @Override
  public CompletableFuture<Optional<String>> bind(PodKey pod, String node) {
    nodes.put(pod, node);
    return binds.computeIfAbsent(pod, _ -> new CompletableFuture<>());
  }

  @Override
  public Set<String> preemptable(Pod pod, Map<String, Set<String>> victims) {
    return preemptable;
  }
}
