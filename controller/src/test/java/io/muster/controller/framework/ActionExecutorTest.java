package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Observed.Refusal;
import io.muster.controller.core.state.Resize;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kinds.paddle.api.PaddleJobStatus;
import io.muster.controller.kube.GangHolders;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Remark;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A job that was changed since it began, and one that has lost pods. */
@EnableKubernetesMockClient(https = false, crud = true)
final class ActionExecutorTest {

  private static final Action.Create CREATE =
      new Action.Create("worker", 0, "j-worker-0", 1, Optional.empty(), 0, 0);

  private KubernetesMockServer server;
  private KubernetesClient client;
  private ActionExecutor executor;
  private final JobMemory memory = new JobMemory();

  @BeforeEach
  void begin() {
    executor =
        new ActionExecutor(
            JobAccess.of(client, "muster", () -> Instant.EPOCH),
            new GangHolders(client, _ -> Optional.of(false), () -> Instant.EPOCH, List.of()),
            "paddle");
  }

  private static PaddleJob object() {
    var job = new PaddleJob();
    job.setMetadata(new ObjectMetaBuilder().withName("j").withNamespace("ml").withUid("u").build());
    return job;
  }

  /** One of whose template no pod can be made. */
  private class Spoilt extends ReconciledJob<PaddleJob, PaddleJobStatus, JobMemory> {

    private final List<String> problems;

    Spoilt(List<String> problems, Pod... pods) {
      super(
          new Seen<>(
              object(), JobState.NEW, List.of(pods), Map.of(), null, memory, null, Instant.EPOCH));
      this.problems = problems;
    }

    @Override
    protected List<String> problems() {
      return problems;
    }

    @Override
    protected Job wanted(List<String> why) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected Optional<Member> member(Pod pod, Job wanted) {
      return Optional.empty();
    }

    @Override
    protected PaddleJobStatus status() {
      throw new UnsupportedOperationException();
    }

    @Override
    protected List<Remark> remarks(News item) {
      return List.of();
    }

    @Override
    protected Pod pod(Action.Create create) {
      throw new NoSuchElementException("no containers");
    }

    @Override
    protected Optional<String> service(String pod) {
      return Optional.of(pod);
    }
  }

  @Test
  void whatIsWrongWithAJobThatRunsIsToldAsARefusalOfItsPods() {
    var job = new Spoilt(List.of("spec.template.ports: is no list"));
    assertThat(executor.steps(job, CREATE).getFirst().take()).isTrue();
    assertThat(memory.refusals())
        .extracting(Refusal::message)
        .containsExactly("spec.template.ports: is no list");
  }

  @Test
  void aFaultOfOursIsNoneOfTheJob() {
    var step = executor.steps(new Spoilt(List.of()), CREATE).getFirst();
    assertThatThrownBy(step::take).isInstanceOf(NoSuchElementException.class);
    assertThat(memory.refusals()).isEmpty();
  }

  @Test
  void theServiceOfALostPodGoes() {
    service();
    lost(new Spoilt(List.of())).forEach(PendingSteps.Step::take);
    assertThat(client.services().inNamespace("ml").list().getItems()).isEmpty();
  }

  private void service() {
    client.resource(companion()).create();
  }

  private static Service companion() {
    return new ServiceBuilder()
        .withMetadata(Ownership.metadata(object(), "j-worker-0"))
        .withNewSpec()
        .endSpec()
        .build();
  }

  /** One whose pod has a Service. */
  private final class Served extends Spoilt {

    Served() {
      super(List.of());
    }

    @Override
    protected Pod pod(Action.Create create) {
      return ActionExecutorTest.pod(false);
    }

    @Override
    protected List<HasMetadata> companions(Action.Create create, Pod pod) {
      return List.of(companion());
    }
  }

  /** What asks for the pod may be taken back, and then nobody comes by its name. */
  @Test
  void ofAPodThatIsRefusedNoServiceStays() {
    var refusal =
        new StatusBuilder()
            .withCode(403)
            .withReason("Forbidden")
            .withMessage("exceeded quota: q")
            .build();
    server.expect().post().withPath("/api/v1/namespaces/ml/pods").andReturn(403, refusal).once();
    assertThat(executor.steps(new Served(), CREATE).getFirst().take()).isTrue();
    assertThat(memory.refusals()).extracting(Refusal::pod).containsExactly("j-worker-0");
    assertThat(client.services().inNamespace("ml").list().getItems()).isEmpty();
  }

  private static Pod pod(boolean isDeleted) {
    var metadata = Ownership.metadata(object(), "j-worker-0");
    metadata.setDeletionTimestamp(isDeleted ? "2026-01-01T00:00:00Z" : null);
    return new PodBuilder().withMetadata(metadata).build();
  }

  /** Somebody has deleted it while it was to be taken away, so nothing deletes it any more. */
  @ParameterizedTest
  @EnumSource(names = {"SCALING", "SUCCEEDED", "FAILED"})
  void soDoesThatOfOneThatAResizeNeedNotTakeAway(Resize.Stage stage) {
    service();
    var job = new Spoilt(List.of());
    resized(job, stage).forEach(PendingSteps.Step::take);
    assertThat(client.services().inNamespace("ml").list().getItems())
        .hasSize(stage.isEnd() ? 0 : 1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void soDoesThatOfOneThatSomebodyDeletes(boolean isDeleted) {
    service();
    var steps = resized(new Spoilt(List.of(), pod(isDeleted)), Resize.Stage.SUCCEEDED);
    steps.forEach(PendingSteps.Step::take);
    assertThat(client.services().inNamespace("ml").list().getItems()).hasSize(isDeleted ? 0 : 1);
  }

  private List<PendingSteps.Step> resized(Spoilt job, Resize.Stage stage) {
    var request =
        new ResizeRequest(
            "in",
            "worker",
            new Change.Remove(1),
            Instant.EPOCH,
            false,
            Duration.ofMinutes(1),
            Optional.empty(),
            Optional.empty());
    var plan = List.of("j-worker-0");
    var resize = new Resize(request, stage, plan, Optional.empty(), Optional.empty());
    job.decided(
        new Outcome(JobState.NEW, List.of(resize), List.of(), List.of(), Optional.empty()),
        List.of());
    return executor.afterLost(job);
  }

  private List<PendingSteps.Step> lost(Spoilt job) {
    var lost = new News.MemberLost("j-worker-0", "was deleted");
    job.decided(
        new Outcome(JobState.NEW, List.of(), List.of(lost), List.of(), Optional.empty()),
        List.of());
    return executor.afterLost(job);
  }

  private Member member(String uid) {
    return new Member(
        "j-worker-0",
        uid,
        "worker",
        0,
        Member.Phase.FAILED,
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  /** A job that goes on without it would be looked at every other second, until it ends. */
  @Test
  void afterThatNothingIsLeftToBeDoneForIt() {
    var job = new Spoilt(List.of());
    memory.afterDeletions(List.of(member("first")));
    var steps = lost(job);
    assertThat(steps).hasSize(1);
    assertThat(lost(job)).as("it was not done").hasSize(1);
    steps.forEach(PendingSteps.Step::take);
    assertThat(lost(job)).isEmpty();

    memory.afterDeletions(List.of(member("another of its name")));
    assertThat(lost(job)).hasSize(1);
  }
}
