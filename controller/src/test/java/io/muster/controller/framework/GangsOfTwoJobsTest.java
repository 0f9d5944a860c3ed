package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.controller.api.JobStatus;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Observed.Refusal;
import io.muster.controller.kinds.di.DiKind;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.dlrover.DlroverKind;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.job.Mode;
import io.muster.controller.kinds.etoperator.EtOperatorKind;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.TrainingJobPods;
import io.muster.controller.kinds.paddle.PaddleKind;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kube.GangHolders;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.OwnGang;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.kube.node.SignalTable;
import io.muster.controller.port.StartAdvice;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs of two kinds in a namespace that are called alike: each has a gang of its own. */
@EnableKubernetesMockClient(https = false, crud = true)
final class GangsOfTwoJobsTest {

  private KubernetesClient client;
  private JobAccess access;
  private GangHolders gangs;
  private EtOperatorKind etOperator;
  private PaddleKind paddle;
  private DiKind di;
  private DlroverKind dlrover;
  private final JobMemory memory = new JobMemory();
  private final List<GangId> asked = new ArrayList<>();
  private Instant now = Instant.EPOCH;

  /** Where others have not seen pods yet that were just made. */
  private boolean isBehind;

  private boolean canTell = true;

  @BeforeEach
  void begin() {
    var nodes =
        new LeavingNodes(
            new LeavingNodes.Settings(SignalTable.builtIn(), Duration.ZERO, Duration.ZERO),
            () -> now);
    access = JobAccess.of(client, "muster", () -> now);
    etOperator =
        new EtOperatorKind(
            new TrainingJobPods.Images("i", "k"), access, nodes, mock(), _ -> Optional.empty());
    paddle = new PaddleKind(access, _ -> Optional.empty());
    di = new DiKind(new DiAddresses("http://s", "http://s", "svc"), access, _ -> Optional.empty());
    dlrover =
        new DlroverKind(
            new DlroverKind.Settings("master", Mode.BUILTIN),
            access,
            new DlroverKind.Placement(nodes, mock(StartAdvice.class), _ -> Optional.empty()));
    restart();
  }

  /** Nothing is known but what is stored. */
  private void restart() {
    gangs =
        new GangHolders(
            client,
            this::isAnybodyIn,
            () -> now,
            List.of(TrainingJob.class, ElasticJob.class, DIJob.class, PaddleJob.class));
  }

  private Optional<Boolean> isAnybodyIn(GangId gang) {
    asked.add(gang);
    return canTell
        ? Optional.of(!isBehind && pods().stream().anyMatch(pod -> gang(pod).equals(gang.name())))
        : Optional.empty();
  }

  private List<Pod> pods() {
    return client.pods().inNamespace("ml").list().getItems();
  }

  private static String gang(Pod pod) {
    return Marks.annotations(pod).getOrDefault(GangKeys.NAME, "");
  }

  private String gang(String pod) {
    return gang(client.pods().inNamespace("ml").withName(pod).get());
  }

  private TrainingJob horovod(String name) {
    return client.resource(JobsOfAllKinds.horovod(name)).create();
  }

  private PaddleJob paddle(String name) {
    return client.resource(JobsOfAllKinds.paddle(name)).create();
  }

  /** Makes one of its pods, as it is stored by now. */
  private <J extends CustomResource<?, S>, S extends JobStatus, M extends JobMemory> void make(
      JobKind<J, S, M> kind, J job, Action.Create create) {
    var now = client.resource(job).get();
    var uid = now.getMetadata().getUid();
    M remembered = kind.facts().memory().get();
    var own = pods().stream().filter(pod -> Ownership.isOwned(pod, uid)).toList();
    var one =
        kind.reconcile(
            new ReconciledJob.Seen<>(
                now, JobState.NEW, own, Map.of(), mock(), remembered, null, Instant.EPOCH));
    one.decided(
        new Outcome(JobState.NEW, List.of(), List.of(), List.of(), Optional.empty()), List.of());
    var executor = new ActionExecutor(access, gangs, kind.name());
    try {
      executor.steps(one, create).getFirst().take();
    } finally {
      remembered
          .refusals()
          .forEach(refusal -> memory.refused(refusal.pod(), refusal.message(), Instant.EPOCH));
    }
  }

  private static Action.Create create(String role, String pod) {
    return create(role, pod, Optional.empty());
  }

  private static Action.Create create(String role, String pod, Optional<String> resize) {
    int index = Integer.parseInt(pod.substring(pod.lastIndexOf('-') + 1));
    return new Action.Create(role, index, pod, 2, resize, index, 0);
  }

  private void makeHorovod(TrainingJob job, int index) {
    make(etOperator, job, create("worker", job.getMetadata().getName() + "-worker-" + index));
  }

  private void makePaddle(PaddleJob job, int index) {
    make(paddle, job, create("trainer", job.getMetadata().getName() + "-trainer-" + index));
  }

  private String refusal() {
    return memory.refusals().stream().map(Refusal::message).collect(Collectors.joining());
  }

  @Test
  void whoComesSecondHasAGangThatIsCalledApart() {
    var first = horovod("a");
    var second = paddle("a");
    makeHorovod(first, 0);

    assertThatThrownBy(() -> makePaddle(second, 0)).isInstanceOf(HeldBackException.class);
    assertThat(OwnGang.of(client.resource(second).get())).isEqualTo("a.paddle");
    assertThat(client.v1().events().inNamespace("ml").list().getItems())
        .extracting(event -> event.getMessage())
        .containsExactly(
            "its gang is called a.paddle, since gang a is that of TrainingJob a of kai.alibabacloud.com");
    makePaddle(second, 0);
    makeHorovod(first, 1);
    makePaddle(second, 1);

    assertThat(gang("a-worker-1")).isEqualTo("a");
    assertThat(gang("a-trainer-0")).isEqualTo("a.paddle");
    assertThat(gang("a-trainer-1")).isEqualTo("a.paddle");
  }

  @Test
  void aDIJobIsCalledApartToo() {
    makePaddle(paddle("a"), 0);
    var job = client.resource(JobsOfAllKinds.tasks("a")).create();
    var learner = create("learner", "a-learner-0");

    assertThatThrownBy(() -> make(di, job, learner)).isInstanceOf(HeldBackException.class);
    make(di, job, learner);

    assertThat(gang("a-learner-0")).isEqualTo("a.di");
  }

  /** Nobody has seen the pods of either. */
  @Test
  void ofTwoThatBeginAtOnceOnlyOneHasTheName() {
    isBehind = true;
    var second = paddle("a");
    makeHorovod(horovod("a"), 0);

    assertThatThrownBy(() -> makePaddle(second, 0)).isInstanceOf(HeldBackException.class);
    makePaddle(second, 0);

    assertThat(pods())
        .extracting(GangsOfTwoJobsTest::gang)
        .containsExactlyInAnyOrder("a", "a.paddle");
  }

  @Test
  void theNameStaysAfterARestartAndAfterTheOtherIsGone() {
    var first = horovod("a");
    var second = paddle("a");
    makeHorovod(first, 0);
    assertThatThrownBy(() -> makePaddle(second, 0)).isInstanceOf(HeldBackException.class);
    makePaddle(second, 0);
    restart();
    client.resource(first).delete();
    client.pods().inNamespace("ml").withName("a-worker-0").delete();

    makePaddle(second, 1);

    assertThat(pods()).extracting(GangsOfTwoJobsTest::gang).containsOnly("a.paddle");
    assertThat(pods()).hasSize(2);
  }

  @Test
  void afterARestartTheApiServerIsAskedWhoseTheMembersAre() {
    makeHorovod(horovod("a"), 0);
    restart();
    canTell = false;

    assertThatThrownBy(() -> makePaddle(paddle("a"), 0)).isInstanceOf(HeldBackException.class);
  }

  /** Two that share a gang since before go on as they are. */
  @Test
  void whoHasMembersInAGangMakesMore() {
    var first = horovod("a");
    var second = paddle("a");
    makeHorovod(first, 0);
    client
        .resource(
            new PodBuilder()
                .withMetadata(Ownership.metadata(second, "a-trainer-0"))
                .editMetadata()
                .addToAnnotations(GangKeys.NAME, "a")
                .endMetadata()
                .withNewStatus()
                .withPhase("Running")
                .endStatus()
                .build())
        .create();
    restart();

    makePaddle(second, 1);
    makeHorovod(first, 1);

    assertThat(pods()).hasSize(4).extracting(GangsOfTwoJobsTest::gang).containsOnly("a");
  }

  @Test
  void aNameIsFreeOnceNobodyOfTheOtherIsLeft() {
    var first = horovod("a");
    makeHorovod(first, 0);
    client.pods().inNamespace("ml").withName("a-worker-0").delete();
    now = now.plusSeconds(61);

    makePaddle(paddle("a"), 0);

    assertThat(gang("a-trainer-0")).isEqualTo("a");
  }

  @Test
  void aScaleOutDoesNotJoinTheGangOfAnotherJob() {
    var job = horovod("j");
    makeHorovod(job, 0);
    makePaddle(paddle("more"), 0);
    var resize = Optional.of("ScaleOut:ml/more");

    make(etOperator, job, create("worker", "j-worker-2", resize));

    assertThat(pods()).hasSize(2);
    assertThat(refusal())
        .isEqualTo(
            "gang more is that of TrainingJob more of paddlepaddle.org, and two jobs share none:"
                + " wait until that has no pod there, or make this anew under another name");
    assertThat(OwnGang.isApart(client.resource(job).get())).isFalse();
  }

  @Test
  void aJobDoesNotJoinTheGangOfAScaleOut() {
    var job = horovod("j");
    makeHorovod(job, 0);
    make(etOperator, job, create("worker", "j-worker-2", Optional.of("ScaleOut:ml/more")));
    var other = paddle("more");

    assertThatThrownBy(() -> makePaddle(other, 0)).isInstanceOf(HeldBackException.class);
    makePaddle(other, 0);

    assertThat(gang("more-trainer-0")).isEqualTo("more.paddle");
    assertThat(gang("j-worker-2")).isEqualTo("more");
  }

  @Test
  void whereEvenTheOtherNameIsAnothersTheJobWaits() {
    makeHorovod(horovod("a"), 0);
    makeHorovod(horovod("a.paddle"), 0);
    var job = paddle("a");
    assertThatThrownBy(() -> makePaddle(job, 0)).isInstanceOf(HeldBackException.class);

    makePaddle(job, 0);

    assertThat(pods()).hasSize(2);
    assertThat(refusal()).startsWith("gang a.paddle is that of TrainingJob a.paddle of kai.");
  }

  /** Its pods of before are on their way out, and have the same names. */
  @Test
  void aJobThatIsMadeAnewIsNoOther() {
    var job = horovod("a");
    makeHorovod(job, 0);
    client.resource(job).delete();

    makeHorovod(horovod("a"), 1);

    assertThat(gang("a-worker-1")).isEqualTo("a");
  }

  @Test
  void whatUsersNameStaysAsTheySay() {
    makeHorovod(horovod("a"), 0);
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName("bare")
                .withNamespace("ml")
                .addToAnnotations(GangKeys.NAME, "b")
                .endMetadata()
                .build())
        .create();

    make(
        dlrover,
        client.resource(JobsOfAllKinds.elastic("e", "a")).create(),
        create("worker", "e-edljob-worker-0"));
    makePaddle(paddle("b"), 0);

    assertThat(gang("e-edljob-worker-0")).isEqualTo("a");
    assertThat(gang("b-trainer-0")).isEqualTo("b");
  }

  @Test
  void nobodyIsAskedTwiceWhereNothingIsInTheWay() {
    var job = horovod("a");
    makeHorovod(job, 0);
    makeHorovod(job, 1);
    restart();
    makeHorovod(job, 2);

    assertThat(asked).hasSize(1);
  }
}
