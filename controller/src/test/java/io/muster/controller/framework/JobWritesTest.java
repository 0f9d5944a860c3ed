package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.state.Observed.Refusal;
import io.muster.controller.kube.ForeignObjectException;
import io.muster.controller.kube.Ownership;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a user has made is neither changed nor deleted, whatever a job is called. */
@EnableKubernetesMockClient(https = false, crud = true)
final class JobWritesTest {

  private static final Map<String, String> PRECIOUS = Map.of("precious", "data");

  private KubernetesClient client;
  private JobWrites writes;
  private final JobMemory memory = new JobMemory();

  /** The kind of the job is no matter here. */
  private final ConfigMap job =
      new ConfigMapBuilder()
          .withNewMetadata()
          .withName("mine")
          .withNamespace("u")
          .withUid("job")
          .endMetadata()
          .build();

  @BeforeEach
  void begin() {
    writes = new JobWrites(client, () -> Instant.EPOCH);
  }

  private static ObjectMeta named(Map<String, String> labels) {
    return new ObjectMetaBuilder()
        .withName("mine-config")
        .withNamespace("u")
        .withLabels(labels)
        .build();
  }

  static List<HasMetadata> users() {
    var metadata = named(PRECIOUS);
    return List.of(
        new ConfigMapBuilder().withMetadata(metadata).build(),
        new ServiceBuilder().withMetadata(metadata).withNewSpec().endSpec().build(),
        new SecretBuilder().withMetadata(metadata).build(),
        new ServiceAccountBuilder().withMetadata(metadata).build(),
        new RoleBuilder().withMetadata(metadata).build(),
        new RoleBindingBuilder().withMetadata(metadata).build());
  }

  private HasMetadata ofJob(HasMetadata users) {
    var own = client.getKubernetesSerialization().clone(users);
    own.setMetadata(named(Map.of()));
    own.getMetadata().setOwnerReferences(List.of(Ownership.by(job)));
    return own;
  }

  private static String sentence(HasMetadata users) {
    return users.getKind()
        + " mine-config exists and belongs to another; delete it, or give the job another name";
  }

  @ParameterizedTest
  @MethodSource("users")
  void whatIsAUsersStaysAsItIs(HasMetadata users) {
    client.resource(users).create();

    assertThatThrownBy(() -> writes.putOwn(job, ofJob(users))).hasMessage(sentence(users));
    assertThatThrownBy(() -> writes.replaceOwn(job, ofJob(users))).hasMessage(sentence(users));
    writes.deleteOwn(job, ofJob(users));

    var there = client.resource(users).get().getMetadata();
    assertThat(there.getLabels()).isEqualTo(PRECIOUS);
    assertThat(there.getOwnerReferences()).isEmpty();
  }

  @Test
  void whatAnEarlierJobOfThatNameHasLeftIsWaitedFor() {
    var left = ofJob(new ConfigMapBuilder().withMetadata(named(PRECIOUS)).build());
    left.getMetadata().getOwnerReferences().getFirst().setUid("earlier");
    client.resource(left).create();

    assertThatThrownBy(() -> writes.putOwn(job, ofJob(left)))
        .hasMessage(
            "ConfigMap mine-config is still there, of a deleted ConfigMap of this name;"
                + " waiting until it is gone");
  }

  @Test
  void whatIsAnothersAndBeingDeletedIsWaitedFor() {
    var going = new PodBuilder().withMetadata(named(PRECIOUS)).build();
    going.getMetadata().setDeletionTimestamp("2026-11-30T00:00:00Z");

    assertThat(new ForeignObjectException(job, going))
        .hasMessage(
            "Pod mine-config belongs to another and is being deleted; waiting until it is gone");
  }

  /** Somebody may also have it go with the job without giving it to the job. */
  @Test
  void whatGoesWithTheJobAndIsNotControlledByItIsAUsersToo() {
    var users = new ConfigMapBuilder().withMetadata(named(PRECIOUS)).build();
    var owner = Ownership.by(job);
    owner.setController(false);
    users.getMetadata().setOwnerReferences(List.of(owner));
    client.resource(users).create();

    assertThatThrownBy(() -> writes.replaceOwn(job, ofJob(users))).hasMessage(sentence(users));
  }

  @ParameterizedTest
  @MethodSource("users")
  void whatIsTheJobsOwnIsKeptReplacedAndDeleted(HasMetadata like) {
    writes.putOwn(job, ofJob(like));
    writes.putOwn(job, ofJob(like));
    var changed = ofJob(like);
    changed.getMetadata().setLabels(Map.of("a", "b"));
    writes.replaceOwn(job, changed);

    assertThat(client.resource(like).get().getMetadata().getLabels()).containsEntry("a", "b");
    writes.deleteOwn(job, ofJob(like));
    assertThat(client.resource(like).get()).isNull();
  }

  @Test
  void aServiceOfAUsersByThePodsNameIsNotDeletedWithThePod() {
    var service =
        new ServiceBuilder().withMetadata(named(PRECIOUS)).withNewSpec().endSpec().build();
    client.resource(service).create();

    writes.deleteService(job, "mine-config");

    assertThat(client.resource(service).get()).isNotNull();
  }

  /** The engine sees it as it sees a pod that the apiserver refuses. */
  @Test
  void thePodThatWouldNeedItIsHeldBackWithThatReason() {
    var users = new ConfigMapBuilder().withMetadata(named(PRECIOUS)).build();
    client.resource(users).create();
    var step =
        writes.preparing("mine-launcher", memory, () -> writes.replaceOwn(job, ofJob(users)));

    assertThatThrownBy(step::take).isInstanceOf(HeldBackException.class);
    assertThat(memory.refusals())
        .containsExactly(
            new Refusal("mine-launcher", sentence(users), Instant.EPOCH.plusSeconds(2)));

    var worker = create("worker", 0, Optional.empty());
    assertThat(writes.makePod(job, worker, memory, () -> writes.putOwn(job, ofJob(users))))
        .isTrue();
    assertThat(memory.refusals()).extracting(Refusal::pod).containsExactly("mine-worker-0");
  }

  private static Action.Create create(String role, int index, Optional<String> resize) {
    return new Action.Create(role, index, "mine-" + role + "-" + index, 8, resize, index, 0);
  }

  private static KubernetesClientException forbidden(String message) {
    return new KubernetesClientException(
        new StatusBuilder().withCode(403).withMessage(message).build());
  }

  /** A quota of Secrets, say: nobody would know why nothing comes of the job. */
  @Test
  void soIsOneWhereTheApiServerDoesNotTakeIt() {
    var step =
        writes.preparing(
            "mine-worker-0",
            memory,
            () -> {
              throw forbidden("exceeded quota: count/secrets");
            });

    assertThatThrownBy(step::take).isInstanceOf(HeldBackException.class);
    assertThat(memory.refusals())
        .extracting(Refusal::pod, Refusal::message)
        .containsExactly(tuple("mine-worker-0", "exceeded quota: count/secrets"));
  }

  private int tries(Action.Create create, RuntimeException refusal) {
    var tries = new AtomicInteger();
    writes.makePod(
        job,
        create,
        memory,
        () -> {
          tries.incrementAndGet();
          throw refusal;
        });
    return tries.get();
  }

  /** A gang of thousands costs the API server one write, each time that it is tried. */
  @Test
  void whereAPodIsRefusedNoOtherLikeItIsTriedBeforeItIsDecidedAnew() {
    var quota = forbidden("exceeded quota");
    assertThat(tries(create("worker", 0, Optional.empty()), quota)).isOne();
    assertThat(tries(create("worker", 1, Optional.empty()), quota)).isZero();
    assertThat(tries(create("launcher", 0, Optional.empty()), quota)).as("not alike").isOne();

    memory.decided(Optional.empty());
    assertThat(tries(create("worker", 0, Optional.empty()), quota)).isOne();
  }

  @Test
  void nobodyIsAskedAgainWhoseTheGangOfAScaleOutIs() {
    var taken = new UnfitPodException("gang more is that of another");
    var out = Optional.of("ScaleOut:ml/more");
    assertThat(tries(create("worker", 2, out), taken)).isOne();
    assertThat(tries(create("worker", 3, out), taken)).isZero();
    assertThat(tries(create("worker", 1, Optional.empty()), taken)).as("the job's own").isOne();
  }

  @Test
  void aNameThatIsAnothersSaysNothingOfOtherPods() {
    var foreign = new ForeignObjectException(job, ofJob(users().getFirst()));
    assertThat(tries(create("worker", 0, Optional.empty()), foreign)).isOne();
    assertThat(tries(create("worker", 1, Optional.empty()), foreign)).isOne();
  }
}
