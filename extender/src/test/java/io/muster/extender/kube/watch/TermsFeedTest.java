package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.APIGroupListBuilder;
import io.fabric8.kubernetes.api.model.APIResourceListBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.CustomResourceDefinitionContext;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.Event;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
final class TermsFeedTest {

  private static final String GROUP = "scheduling.x-k8s.io";
  private static final String VERSION = "v1alpha1";
  private static final TermsObject J =
      new TermsObject(TermsObject.Kind.PLUGINS_POD_GROUP, "ml", "j");

  private static final CustomResourceDefinitionContext KIND =
      new CustomResourceDefinitionContext.Builder()
          .withGroup(GROUP)
          .withVersion(VERSION)
          .withKind("PodGroup")
          .withPlural("podgroups")
          .withScope("Namespaced")
          .build();

  private final List<Event> told = new CopyOnWriteArrayList<>();
  private final AtomicInteger listed = new AtomicInteger();
  private KubernetesClient client;
  private KubernetesMockServer server;
  private TermsFeed feed;

  @BeforeEach
  void open() {
    feed =
        new TermsFeed(client, told::add, listed::incrementAndGet, Duration.ofMillis(100), _ -> {});
    server.expectCustomResource(KIND);
    server
        .expect()
        .get()
        .withPath("/apis/" + GROUP + "/" + VERSION)
        .andReturn(
            200,
            new APIResourceListBuilder()
                .withGroupVersion(GROUP + "/" + VERSION)
                .addNewResource()
                .withName("podgroups")
                .withKind("PodGroup")
                .endResource()
                .build())
        .always();
  }

  @AfterEach
  void close() {
    feed.close();
  }

  @Test
  void tellsWhatTheObjectsThatAreThereSayBeforeItIsDone() {
    serves(GROUP).always();
    create("j", 4);
    feed.start();
    await().until(() -> listed.get() == 1);

    assertThat(told).hasSize(1);
    assertThat(((Event.TermsSeen) told.getFirst()).object()).isEqualTo(J);
    assertThat(((Event.TermsSeen) told.getFirst()).terms().orElseThrow())
        .isInstanceOfSatisfying(
            Terms.Usable.class,
            terms -> {
              assertThat(terms.minAvailable()).isEqualTo(4);
              assertThat(terms.timeout()).isEqualTo(Duration.ofSeconds(60));
            });
  }

  @Test
  void tellsEachChangeAndTheEndOfAnObject() {
    serves(GROUP).always();
    create("j", 4);
    feed.start();
    await().until(() -> listed.get() == 1);

    groups().resource(group("j", 5)).update();
    await().until(() -> told.size() == 2);
    groups().withName("j").delete();
    await().until(() -> told.size() == 3);

    assertThat(((Event.TermsSeen) told.get(1)).terms().orElseThrow())
        .isInstanceOfSatisfying(
            Terms.Usable.class, terms -> assertThat(terms.minAvailable()).isEqualTo(5));
    assertThat(told.get(2)).isEqualTo(new Event.TermsGone(J));
  }

  @Test
  void ofManyObjectsOnlyTheOneThatChangesIsToldOfAgain() {
    serves(GROUP).always();
    for (int i = 0; i < 300; i++) {
      create("j-" + i, 4);
    }
    feed.start();
    await().until(() -> listed.get() == 1);
    assertThat(told).hasSize(300);

    groups().resource(group("j-7", 5)).update();
    await().until(() -> told.size() == 301);
    groups().withName("j-8").edit(TermsFeedTest::labelled);
    groups().resource(group("j-9", 6)).update();
    await().until(() -> told.size() == 302);

    assertThat(told.subList(300, 302))
        .extracting(event -> ((Event.TermsSeen) event).object().name())
        .containsExactly("j-7", "j-9");
  }

  /** It says what it has said. */
  private static GenericKubernetesResource labelled(GenericKubernetesResource group) {
    group.getMetadata().setLabels(Map.of("a", "b"));
    return group;
  }

  @Test
  void isDoneAtOnceWhereNothingIsServedAndPicksUpWhatIsInstalledLater() {
    serves("apps").times(3);
    serves(GROUP).always();
    create("j", 4);
    feed.start();
    await().until(() -> listed.get() == 1);
    assertThat(told).isEmpty();

    await().until(() -> told.size() == 1);
    assertThat(listed).hasValue(1);
  }

  @Test
  void objectsGoWithTheirKind() {
    serves(GROUP).times(5);
    serves("apps").always();
    create("j", 4);
    feed.start();

    await().until(() -> told.contains(new Event.TermsGone(J)));
    assertThat(told.getFirst()).isInstanceOf(Event.TermsSeen.class);
    assertThat(listed).hasValue(1);
  }

  @Test
  void nobodyWaitsWhereNobodyMayAskWhatIsServed() {
    answersAboutRights();
    server.expect().get().withPath("/apis").andReturn(403, "{}").always();
    feed.start();

    await().until(() -> listed.get() == 1);
    assertThat(told).isEmpty();
  }

  /** As while an apiserver starts. */
  @Test
  void aKindThatIsMissingAtOneLookKeepsItsObjects() {
    serves(GROUP).times(3);
    serves("apps").once();
    serves(GROUP).times(6);
    serves("apps").always();
    create("j", 4);
    feed.start();

    await().until(() -> told.contains(new Event.TermsGone(J)));
    assertThat(told).hasSize(2);
  }

  @Test
  void whatMayNotBeReadIsNotWaitedFor() {
    answersAboutRights();
    serves(GROUP).always();
    server
        .expect()
        .get()
        .withPath("/apis/%s/%s/podgroups?resourceVersion=0".formatted(GROUP, VERSION))
        .andReturn(403, "{}")
        .always();
    create("j", 4);
    feed.start();

    await().until(() -> listed.get() == 1);
    assertThat(told).isEmpty();
  }

  private void answersAboutRights() {
    server
        .expect()
        .post()
        .withPath("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
        .andReturn(201, new SelfSubjectAccessReview())
        .always();
  }

  private io.fabric8.mockwebserver.dsl.TimesOnceableOrHttpHeaderable<Void> serves(String group) {
    return server
        .expect()
        .get()
        .withPath("/apis")
        .andReturn(
            200,
            new APIGroupListBuilder()
                .addNewGroup()
                .withName(group)
                .addNewVersion(group + "/" + VERSION, VERSION)
                .endGroup()
                .build());
  }

  private NonNamespaceOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      groups() {
    return client.genericKubernetesResources(KIND).inNamespace("ml");
  }

  private void create(String name, int min) {
    groups().resource(group(name, min)).create();
  }

  private static GenericKubernetesResource group(String name, int min) {
    var group = new GenericKubernetesResource();
    group.setApiVersion(GROUP + "/" + VERSION);
    group.setKind("PodGroup");
    group.setMetadata(new ObjectMetaBuilder().withName(name).withNamespace("ml").build());
    group.setAdditionalProperty("spec", Map.of("minMember", min, "scheduleTimeoutSeconds", 0));
    return group;
  }
}
