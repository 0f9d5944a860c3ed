package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.extender.core.cluster.AbsentClaim;
import io.muster.extender.core.cluster.AbsentClaim.Cause;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.convert.PodConverter;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
final class VolumeFeedTest {

  private static final NodeTerm ON_N1 =
      new NodeTerm(
          List.of(new Requirement("kubernetes.io/hostname", Operator.IN, Set.of("n1"))), List.of());

  private final PodConverter translation = new PodConverter(new DialectDetector());
  private final List<Event> told = new CopyOnWriteArrayList<>();
  private KubernetesClient client;
  private KubernetesMockServer server;
  private VolumeFeed feed;

  @BeforeEach
  void open() {
    feed = new VolumeFeed(client, told::add);
    client.resource(storageClass("local", "WaitForFirstConsumer")).create();
  }

  @AfterEach
  void close() {
    feed.close();
  }

  @Test
  void aMemberIsToldAgainOnceItsClaimHasAVolume() {
    client.resource(claim("Pending")).create();
    var member = member();
    feed.tell(member, translation.pod(member));
    assertThat(last().progress().awaitsVolumes()).isTrue();
    assertThat(last().demand().volumes()).isEmpty();

    client.resource(claim("Bound")).update();
    client.resource(volume()).create();
    await().until(() -> !last().progress().awaitsVolumes());
    assertThat(last().demand().volumes()).containsExactly(List.of(ON_N1));
    assertThat(last().key().name()).isEqualTo("w-0");
  }

  @Test
  void aMemberIsToldAgainOnceItsClaimIsGone() {
    tellBound();
    client.resource(claim("Bound")).delete();
    await().until(() -> last().progress().awaitsVolumes());
    assertThat(last().demand().volumes()).isEmpty();
  }

  @Test
  void aMemberIsToldAgainOnceItsVolumeIsGone() {
    tellBound();
    client.resource(volume()).delete();
    await().until(() -> last().progress().awaitsVolumes());
    assertThat(last().demand().volumes()).isEmpty();
  }

  private void tellBound() {
    client.resource(claim("Bound")).create();
    client.resource(volume()).create();
    var member = member();
    feed.tell(member, translation.pod(member));
    await().until(() -> !last().progress().awaitsVolumes());
    assertThat(last().demand().volumes()).containsExactly(List.of(ON_N1));
  }

  @Test
  void whatIsKnownAlreadyIsToldAtOnce() {
    client.resource(claim("Bound")).create();
    client.resource(volume()).create();
    var member = member();
    feed.tell(member, translation.pod(member));
    await().until(() -> !last().progress().awaitsVolumes());

    feed.tell(member, translation.pod(member));
    assertThat(last().demand().volumes()).containsExactly(List.of(ON_N1));
  }

  @Test
  void aMemberThatIsOnANodeOrGoneIsNotToldAgain() {
    var member = member();
    feed.tell(member, translation.pod(member));
    var bound = new PodBuilder(member).editSpec().withNodeName("n1").endSpec().build();
    feed.tell(bound, translation.pod(bound));
    assertThat(last().progress().awaitsVolumes()).isFalse();
    var gone = new PodBuilder(member).editMetadata().withUid("u-2").endMetadata().build();
    feed.tell(gone, translation.pod(gone));
    feed.forget("u-2");

    client.resource(claim("Bound")).create();
    client.resource(volume()).create();
    var other = new PodBuilder(member).editMetadata().withUid("u-3").endMetadata().build();
    feed.tell(other, translation.pod(other));
    await().until(() -> !last().progress().awaitsVolumes());
    assertThat(told)
        .extracting(event -> ((Event.PodSeen) event).pod().key().uid())
        .startsWith("u-1", "u-1", "u-2", "u-3");
    assertThat(told.subList(3, told.size()))
        .allMatch(event -> ((Event.PodSeen) event).pod().key().uid().equals("u-3"));
  }

  @Test
  void aMemberWhoseClaimIsNotThereSaysSoUntilItIs() {
    var member = member();
    feed.tell(member, translation.pod(member));
    await().until(() -> absent().equals(Optional.of(Cause.MISSING)));
    assertThat(last().progress().absentClaim().orElseThrow().name()).isEqualTo("data");
    assertThat(last().progress().awaitsVolumes()).isTrue();

    client.resource(claim("Pending")).create();
    await().until(() -> absent().isEmpty());
    client.resource(claim("Pending")).delete();
    await().until(() -> absent().equals(Optional.of(Cause.MISSING)));
  }

  @Test
  void aClaimThatGoesOrHasLostItsVolumeIsOfNoUse() {
    tellBound();
    client.resource(claim("Lost")).update();
    await().until(() -> absent().equals(Optional.of(Cause.LOST)));
    client
        .resource(
            new PersistentVolumeClaimBuilder(claim("Bound"))
                .editMetadata()
                .withDeletionTimestamp("2026-11-01T00:00:00Z")
                .withFinalizers("kubernetes.io/pvc-protection")
                .endMetadata()
                .build())
        .update();
    await().until(() -> absent().equals(Optional.of(Cause.DELETED)));
  }

  @Test
  void theClaimOfAnEphemeralVolumeIsTheOneThatWasMadeForIt() {
    var member =
        new PodBuilder(member())
            .editSpec()
            .withVolumes(
                new VolumeBuilder().withName("scratch").withNewEphemeral().endEphemeral().build())
            .endSpec()
            .build();
    feed.tell(member, translation.pod(member));
    await().until(() -> absent().equals(Optional.of(Cause.NOT_MADE)));

    var made =
        new PersistentVolumeClaimBuilder(claim("Pending"))
            .editMetadata()
            .withName("w-0-scratch")
            .endMetadata();
    client.resource(made.build()).create();
    await().until(() -> absent().equals(Optional.of(Cause.OF_ANOTHER)));
    client
        .resource(
            made.editMetadata()
                .addNewOwnerReference()
                .withController(true)
                .withUid("u-1")
                .endOwnerReference()
                .endMetadata()
                .build())
        .update();
    await().until(() -> absent().isEmpty());
    assertThat(last().progress().awaitsVolumes()).isTrue();
  }

  @Test
  void aClaimWhoseClassDoesNotExistIsOfNoUseUntilItDoes() {
    client.resource(claimOf("later")).create();
    var member = member();
    feed.tell(member, translation.pod(member));
    await().until(() -> absent().equals(Optional.of(Cause.NO_CLASS)));
    client.resource(storageClass("later", "WaitForFirstConsumer")).create();
    await().until(() -> absent().isEmpty());
    client.resource(storageClass("later", "WaitForFirstConsumer")).delete();
    await().until(() -> absent().equals(Optional.of(Cause.NO_CLASS)));
  }

  @Test
  void aClaimThatIsBoundBeforeAPodNeedsItIsOfNoUseUntilItIsBound() {
    client.resource(storageClass("at-once", "Immediate")).create();
    client.resource(claimOf("at-once")).create();
    var member = member();
    feed.tell(member, translation.pod(member));
    await().until(() -> absent().equals(Optional.of(Cause.UNBOUND)));
    client.resource(claim("Bound")).update();
    client.resource(volume()).create();
    await().until(() -> !last().progress().awaitsVolumes());
    assertThat(absent()).isEmpty();
  }

  @Test
  void soIsOneWithoutAClassAndOneThatNamesItsVolume() {
    client.resource(claimOf("")).create();
    var member = member();
    feed.tell(member, translation.pod(member));
    await().until(() -> absent().equals(Optional.of(Cause.UNBOUND)));
    client.resource(claimOf("local")).update();
    await().until(() -> absent().isEmpty());
    client
        .resource(
            new PersistentVolumeClaimBuilder(claimOf("local"))
                .editSpec()
                .withVolumeName("pv-1")
                .endSpec()
                .build())
        .update();
    await().until(() -> absent().equals(Optional.of(Cause.UNBOUND)));
  }

  @Test
  void theAnnotationOfAClaimNamesItsClassBeforeItsField() {
    client
        .resource(
            new PersistentVolumeClaimBuilder(claimOf("nowhere"))
                .editMetadata()
                .addToAnnotations("volume.beta.kubernetes.io/storage-class", "local")
                .endMetadata()
                .build())
        .create();
    var member = member();
    feed.tell(member, translation.pod(member));
    await().until(() -> absent().isEmpty());
    assertThat(last().progress().awaitsVolumes()).isTrue();
  }

  @Test
  void whereClassesMayNotBeReadEachClaimThatIsThereWillDo() {
    server
        .expect()
        .post()
        .withPath("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
        .andReturn(201, new SelfSubjectAccessReview())
        .always();
    server
        .expect()
        .get()
        .withPath("/apis/storage.k8s.io/v1/storageclasses?resourceVersion=0")
        .andReturn(403, "")
        .always();
    client.resource(claimOf("nowhere")).create();
    var member = member();
    feed.tell(member, translation.pod(member));
    await().until(() -> absent().isEmpty());
    assertThat(last().progress().awaitsVolumes()).isTrue();
  }

  @Test
  void whatChangesNothingForAMemberIsNotToldIt() {
    client.resource(claim("Pending")).create();
    var member = member();
    feed.tell(member, translation.pod(member));
    await().until(() -> absent().isEmpty());
    int before = told.size();

    client.resource(claimedBy("somebody")).update();
    client.resource(storageClass("other", "Immediate")).create();
    client.resource(claim("Bound")).update();
    client.resource(volume()).create();
    await().until(() -> !last().progress().awaitsVolumes());
    assertThat(told).hasSize(before + 1);
  }

  private static PersistentVolumeClaim claimedBy(String controller) {
    return new PersistentVolumeClaimBuilder(claim("Pending"))
        .editMetadata()
        .addNewOwnerReference()
        .withController(true)
        .withUid(controller)
        .endOwnerReference()
        .endMetadata()
        .build();
  }

  @Test
  void anEventOfAClaimTellsOnlyThoseThatMountIt() {
    var member = member();
    feed.tell(member, translation.pod(member));
    await().until(() -> absent().equals(Optional.of(Cause.MISSING)));
    int before = told.size();

    var other = new PersistentVolumeClaimBuilder(claim("Pending"));
    client.resource(other.editMetadata().withName("other").endMetadata().build()).create();
    client.resource(claim("Pending")).create();
    await().until(() -> absent().isEmpty());
    assertThat(told).hasSize(before + 1);
  }

  @Test
  void whereClaimsMayNotBeReadNoneIsTakenToBeAbsent() {
    server
        .expect()
        .post()
        .withPath("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
        .andReturn(201, new SelfSubjectAccessReview())
        .always();
    server
        .expect()
        .get()
        .withPath("/api/v1/persistentvolumeclaims?resourceVersion=0")
        .andReturn(403, "")
        .always();
    var member = member();
    feed.tell(member, translation.pod(member));
    assertThat(absent()).contains(Cause.NOT_READ);
    await().until(() -> absent().isEmpty());
    assertThat(last().progress().awaitsVolumes()).isTrue();
  }

  @Test
  void nothingIsWatchedForPodsThatAreNoMembers() {
    var single =
        new PodBuilder(member()).editMetadata().withAnnotations(null).endMetadata().build();
    int before = server.getRequestCount();
    feed.tell(single, translation.pod(single));
    assertThat(last().progress().awaitsVolumes()).isFalse();
    assertThat(server.getRequestCount()).isEqualTo(before);
  }

  private io.muster.extender.core.cluster.Pod last() {
    return ((Event.PodSeen) told.getLast()).pod();
  }

  private Optional<Cause> absent() {
    return last().progress().absentClaim().map(AbsentClaim::cause);
  }

  private static Pod member() {
    return new PodBuilder()
        .withNewMetadata()
        .withName("w-0")
        .withNamespace("ml")
        .withUid("u-1")
        .addToAnnotations("muster.io/gang-name", "train")
        .addToAnnotations("muster.io/gang-min", "2")
        .endMetadata()
        .withNewSpec()
        .addNewVolume()
        .withName("data")
        .withNewPersistentVolumeClaim()
        .withClaimName("data")
        .endPersistentVolumeClaim()
        .endVolume()
        .endSpec()
        .build();
  }

  private static PersistentVolumeClaim claim(String phase) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName("data")
        .withNamespace("ml")
        .endMetadata()
        .withNewSpec()
        .withVolumeName(phase.equals("Bound") ? "pv-1" : null)
        .withStorageClassName("local")
        .endSpec()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }

  private static PersistentVolumeClaim claimOf(String storageClass) {
    return new PersistentVolumeClaimBuilder(claim("Pending"))
        .editSpec()
        .withStorageClassName(storageClass)
        .endSpec()
        .build();
  }

  private static StorageClass storageClass(String name, String binding) {
    return new StorageClassBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withProvisioner("example.com/none")
        .withVolumeBindingMode(binding)
        .build();
  }

  private static PersistentVolume volume() {
    return new PersistentVolumeBuilder()
        .withNewMetadata()
        .withName("pv-1")
        .endMetadata()
        .withNewSpec()
        .withNewNodeAffinity()
        .withNewRequired()
        .addNewNodeSelectorTerm()
        .addToMatchExpressions(
            new NodeSelectorRequirement("kubernetes.io/hostname", "In", List.of("n1")))
        .endNodeSelectorTerm()
        .endRequired()
        .endNodeAffinity()
        .endSpec()
        .build();
  }
}
