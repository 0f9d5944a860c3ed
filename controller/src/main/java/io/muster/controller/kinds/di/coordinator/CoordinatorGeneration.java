package io.muster.controller.kinds.di.coordinator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.controller.kinds.di.api.RoleTemplate;
import io.muster.controller.kinds.di.job.DIJobMembers;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.di.job.Generation;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.TemplateDigests;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Jobs with a coordinator that asks for its collectors and learners. */
public final class CoordinatorGeneration implements Generation {

  private final RolePods pods;

  public CoordinatorGeneration(DiAddresses addresses, Supplier<Optional<RoleTemplate>> aggregator) {
    pods = new RolePods(addresses, aggregator);
  }

  @Override
  public Job job(DIJob object, List<String> problems) {
    return CoordinatorSpecMapper.job(object, problems);
  }

  @Override
  public Optional<Member> member(DIJob job, JobState state, Pod pod) {
    var role = Marks.annotations(pod).getOrDefault(CoordinatorNames.ROLE, "");
    var index = Marks.annotations(pod).getOrDefault(CoordinatorNames.INDEX, "");
    if (RoleKey.read(role).isEmpty() || !index.matches("[0-9]{1,9}")) {
      return Optional.empty();
    }
    return Optional.of(
        DIJobMembers.of(
            pod,
            new DIJobMembers.Seat(
                role, Integer.parseInt(index), CoordinatorNames.work(CoordinatorNames.type(pod))),
            state.phase().isEnd(),
            false));
  }

  @Override
  public Map<String, Integer> enough(DIJob job) {
    return WorkerRequests.of(job).requests().stream()
        .collect(
            Collectors.toMap(
                request -> RolePods.gang(job, request), WorkerRequest::pods, (first, _) -> first));
  }

  @Override
  public List<HasMetadata> beside(DIJob job, Pod pod) {
    return List.of(pods.service(job, pod));
  }

  @Override
  public Optional<String> nameOfService(String pod) {
    return Optional.of(pod);
  }

  @Override
  public Function<Action.Create, Pod> pods(DIJob job, JobState state) {
    return pods.of(job);
  }

  @Override
  public DIJobStatus status(DecidedJob<DIJob> decided) {
    return CoordinatorStatusMapper.status(decided);
  }

  @Override
  public List<Remark> remarks(DIJob job) {
    var changes = TemplateDigests.changes(job, CoordinatorStatusMapper.templates(job));
    return Stream.concat(
            changes.stream(),
            WorkerRequests.unreadable(job).stream()
                .map(why -> Remark.warning(CoordinatorStatusMapper.UNREADABLE, why)))
        .toList();
  }

  @Override
  public Set<String> warnings() {
    return CoordinatorStatusMapper.WARNINGS;
  }
}
