package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGroup;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionConditionBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.certs.Certificates;
import io.muster.certs.kube.SecretCertificateStore;
import io.muster.certs.x509.ServerNames;
import io.muster.deploy.config.Config;
import io.muster.deploy.doctor.Finding.Outcome;
import io.muster.deploy.install.InstallFiles;
import io.muster.extender.kube.gang.Gang;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each examination says of a cluster in which that is wrong. */
@EnableKubernetesMockClient(https = false, crud = true)
final class ExaminationsTest {

  private static final Instant NOW = Instant.parse("2026-11-22T08:00:00Z");
  private static final InstantSource CLOCK = InstantSource.fixed(NOW);
  private static final String NAMESPACE = "muster-system";
  private static final Config SETTINGS = Config.load(Optional.empty(), Map.of());

  private KubernetesClient client;
  private KubernetesMockServer server;

  private static Finding only(List<Finding> findings) {
    assertThat(findings).hasSize(1);
    return findings.getFirst();
  }

  private static void assertProblem(Finding finding, String evidence) {
    assertThat(finding.outcome()).isEqualTo(Outcome.PROBLEM);
    assertThat(finding.evidence()).contains(evidence);
    assertThat(finding.remedy()).isNotEmpty();
  }

  private Standing standing() {
    return new Standing(client, SETTINGS, CLOCK);
  }

  private void serverSays(Duration ahead) {
    server.clearExpectations();
    var date = ZonedDateTime.ofInstant(NOW.plus(ahead), ZoneOffset.UTC);
    server
        .expect()
        .get()
        .withPath("/version")
        .andReply(200, _ -> "{}")
        .withHeader("Date", DateTimeFormatter.RFC_1123_DATE_TIME.format(date))
        .always();
  }

  @ParameterizedTest
  @CsvSource({"60, 60s behind", "-90, 90s ahead of"})
  void aClockThatIsOffIsAProblem(long ahead, String said) {
    serverSays(Duration.ofSeconds(ahead));
    assertProblem(only(standing().clocks()), said);
  }

  @Test
  void aClockThatAgreesIsNone() {
    serverSays(Duration.ofSeconds(3));
    assertThat(only(standing().clocks()).outcome()).isEqualTo(Outcome.OK);
  }

  private void lease(String holder, Duration ago) {
    client
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName("muster")
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(holder)
                .withLeaseDurationSeconds(15)
                .withRenewTime(ZonedDateTime.ofInstant(NOW.minus(ago), ZoneOffset.UTC))
                .endSpec()
                .build())
        .create();
  }

  @Test
  void noLeaderIsAProblem() {
    assertProblem(only(standing().leader()), "nobody holds Lease muster-system/muster");
  }

  @Test
  void aLeaseThatHasRunOutIsAProblem() {
    lease("muster-0", Duration.ofSeconds(40));
    assertProblem(
        only(standing().leader()), "muster-0 leads no more: it renewed the Lease last 40s ago");
  }

  /** Whoever may write Leases may give it to anybody for any time. */
  @Test
  void aLeaseThatNobodyRenewsIsAProblemHoweverLongItLasts() {
    lease("somebody", Duration.ofSeconds(40));
    client
        .leases()
        .inNamespace(NAMESPACE)
        .withName("muster")
        .edit(lease -> {
          lease.getSpec().setLeaseDurationSeconds(1_000_000_000);
          return lease;
        });

    var finding = only(standing().leader());

    assertProblem(finding, "somebody has not renewed the Lease for 40s, and that lasts 86400s");
    assertThat(finding.remedy()).contains("kubectl delete lease muster -n muster-system");
  }

  /** Whoever may write Leases may take both away. */
  @ParameterizedTest
  @CsvSource({"true, renewTime", "false, leaseDurationSeconds"})
  void aLeaseThatSaysNoTimeIsAProblem(boolean isWithoutTime, String said) {
    lease("muster-0", Duration.ZERO);
    client
        .leases()
        .inNamespace(NAMESPACE)
        .withName("muster")
        .edit(lease -> {
          if (isWithoutTime) {
            lease.getSpec().setRenewTime(null);
          } else {
            lease.getSpec().setLeaseDurationSeconds(null);
          }
          return lease;
        });

    assertProblem(only(standing().leader()), "says no " + said + ": nobody renews it");
  }

  /** One object that nobody expected keeps the other checks from nothing. */
  @Test
  void aCheckThatFaultsIsAFinding() {
    var finding =
        only(
            new Examination(
                    "odd",
                    () -> {
                      throw new IllegalStateException("no such field");
                    })
                .made());

    assertThat(finding.outcome()).isEqualTo(Outcome.CANNOT_TELL);
    assertThat(finding.check()).isEqualTo("odd");
    assertThat(finding.evidence()).contains("no such field");
  }

  @Test
  void aHolderWhoseClockIsAheadIsAProblem() {
    lease("muster-0", Duration.ofSeconds(-30));
    assertProblem(
        standing().leader().getFirst(), "the clock of muster-0 is 30s ahead of the apiserver's");
  }

  @ParameterizedTest
  @CsvSource({"True, OK", "False, PROBLEM"})
  void aLeaderIsToBeReady(String ready, Outcome outcome) {
    lease("muster-0", Duration.ofSeconds(2));
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName("muster-0")
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready)
                .endCondition()
                .endStatus()
                .build())
        .create();
    assertThat(standing().leader())
        .extracting(Finding::outcome)
        .containsExactly(Outcome.OK, outcome);
  }

  private void install(UnaryOperator<CustomResourceDefinition> how) {
    for (var wanted : InstallFiles.definitions()) {
      var established =
          new CustomResourceDefinitionBuilder(wanted)
              .withNewStatus()
              .withConditions(
                  new CustomResourceDefinitionConditionBuilder()
                      .withType("Established")
                      .withStatus("True")
                      .build())
              .endStatus()
              .build();
      client.resource(how.apply(established)).create();
    }
  }

  @Test
  void definitionsThatAreMissingAreAProblem() {
    assertProblem(
        only(new Definitions(client, Set.of()).findings()), "gangs.muster.io does not exist");
  }

  @Test
  void definitionsOfAnotherVersionAreAProblem() {
    install(definition -> {
      boolean isGangs = definition.getMetadata().getName().equals(InstallFiles.GANGS);
      definition.getSpec().getVersions().getFirst().setServed(!isGangs);
      return definition;
    });
    assertProblem(
        only(new Definitions(client, Set.of()).findings()),
        "other than this version of Muster has them: gangs.muster.io");
  }

  @Test
  void definitionsOfThisVersionAreNone() {
    install(definition -> definition);
    assertThat(only(new Definitions(client, Set.of()).findings()).outcome()).isEqualTo(Outcome.OK);
  }

  private void everyRightIs(boolean granted) {
    server
        .expect()
        .post()
        .withPath("/apis/authorization.k8s.io/v1/subjectaccessreviews")
        .andReturn(
            201,
            """
            {"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",
             "status":{"allowed":%b}}
            """
                .formatted(granted))
        .always();
  }

  @Test
  void rightsThatLackAreNamedWithTheFileThatGrantsThem() {
    everyRightIs(false);
    var findings = new Rights(client, NAMESPACE).findings(List.of("di", "paddle"));
    assertThat(findings)
        .extracting(Finding::check)
        .containsExactly("rights", "rights.di", "rights.paddle");
    assertProblem(findings.getFirst(), "system:serviceaccount:muster-system:muster lacks");
    assertThat(findings.getFirst().evidence()).contains("list nodes, watch nodes, get pods");
    assertThat(findings.getLast().remedy()).isEqualTo("kubectl apply -f deploy/rbac/paddle.yml");
  }

  @Test
  void rightsThatAreAllThereAreNone() {
    everyRightIs(true);
    assertThat(only(new Rights(client, NAMESPACE).findings(List.of())).outcome())
        .isEqualTo(Outcome.OK);
  }

  /** It was one role for all kinds, which let Muster read Secrets. */
  @Test
  void rightsThatAnEarlierVersionLeftAreAProblem() {
    everyRightIs(true);
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName("muster-jobs")
                .endMetadata()
                .build())
        .create();
    var findings = new Rights(client, NAMESPACE).findings(List.of("dlrover"));
    assertProblem(findings.getLast(), "muster-jobs of an earlier version");
    assertThat(findings.getLast().remedy())
        .isEqualTo("kubectl delete clusterrolebinding,clusterrole muster-jobs");
  }

  private List<Finding> trustAfter(Duration time) {
    var store = new SecretCertificateStore(client, NAMESPACE);
    Certificates.ensure(store, ServerNames.ofService("muster", NAMESPACE), CLOCK);
    return new Trust(client, SETTINGS, InstantSource.fixed(NOW.plus(time))).findings();
  }

  @Test
  void certificatesThatNobodyMadeAreAProblem() {
    assertProblem(
        only(new Trust(client, SETTINGS, CLOCK).findings()), "Muster has never started here");
  }

  @ParameterizedTest
  @CsvSource({
    "-2, PROBLEM, is valid only from",
    "1, OK, none of 3 ends before",
    "62, PROBLEM, should have been renewed at",
    "85, PROBLEM, ends at 2027-02-20",
    "200, PROBLEM, ends at 2027-02-20",
  })
  void certificatesAreToBeRenewedInTime(int days, Outcome outcome, String said) {
    var finding = trustAfter(Duration.ofDays(days)).getFirst();
    assertThat(finding.outcome()).isEqualTo(outcome);
    assertThat(finding.evidence()).contains(said);
  }

  @Test
  void aSpoiltSecretIsAProblemAndNoFailure() {
    trustAfter(Duration.ZERO);
    client
        .resources(Secret.class)
        .inNamespace(NAMESPACE)
        .withName(SecretCertificateStore.CERTIFICATES)
        .edit(secret -> {
          secret.getData().put("tls.crt", "bm9uZQ==");
          return secret;
        });
    var examination =
        new Examination("certificates", () -> new Trust(client, SETTINGS, CLOCK).findings());
    assertProblem(only(examination.made()), "tls.crt");
  }

  private void gang(String name, String phase, Duration since) {
    client
        .resource(
            Serialization.unmarshal(
                """
                apiVersion: muster.io/v1alpha1
                kind: Gang
                metadata: {namespace: ml, name: %s}
                status: {phase: %s, message: "3 members left, fewer than 4", lastTransitionTime: "%s"}
                """
                    .formatted(name, phase, NOW.minus(since)),
                Gang.class))
        .create();
  }

  @Test
  void gangsThatAreBrokenOrLateAreNamed() {
    gang("well", "Running", Duration.ofDays(1));
    gang("soon", "Binding", Duration.ofSeconds(10));
    gang("late", "Binding", Duration.ofHours(1));
    gang("torn", "Broken", Duration.ofSeconds(1));
    var findings = new GangChecks(client, SETTINGS, CLOCK).findings();
    assertThat(findings).hasSize(2);
    assertProblem(findings.getFirst(), "ml/torn (3 members left, fewer than 4)");
    assertProblem(findings.getLast(), "ml/late (Binding since 2026-11-22T07:00:00Z)");
    assertThat(findings.getLast().evidence()).doesNotContain("well", "soon");
  }

  private void namespace(String name, Map<String, String> labels) {
    client
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .build())
        .create();
  }

  private static Pod member(String name, boolean gated) {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("ml")
            .withName(name)
            .withUid(name)
            .addToAnnotations("muster.io/gang-name", "g")
            .addToAnnotations("muster.io/gang-min", "2")
            .endMetadata()
            .withNewSpec()
            .addNewContainer()
            .withName("main")
            .endContainer()
            .endSpec();
    return gated
        ? pod.editSpec().addNewSchedulingGate("muster.io/gang").endSpec().build()
        : pod.editSpec().withNodeName("n1").endSpec().build();
  }

  @Test
  void aMemberThatWasBoundWithoutMusterIsNamed() {
    namespace(NAMESPACE, Map.of());
    namespace("ml", Map.of());
    client.resource(member("past", false)).create();
    var findings = new PodChecks(client, SETTINGS).findings();
    assertProblem(findings.getLast(), "ml/past");
  }

  /** As kube-controller-manager with WorkloadWithJob makes the pods of every Job. */
  @Test
  void aMemberThatIsInAPodGroupOfSomebodyElseIsNamed() {
    namespace(NAMESPACE, Map.of());
    namespace("ml", Map.of());
    client.resource(member("plain", true)).create();
    assertThat(new PodChecks(client, SETTINGS).findings())
        .extracting(Finding::outcome)
        .containsOnly(Outcome.OK);
    var grouped = member("grouped", false);
    grouped.getSpec().setSchedulingGroup(new PodSchedulingGroup("of-the-job"));
    client.resource(grouped).create();
    var findings = new PodChecks(client, SETTINGS).findings();
    assertProblem(findings.get(1), "ml/grouped");
    assertThat(findings.get(1).remedy()).contains("WorkloadWithJob");
  }

  @Test
  void aGateThatAReleasedMusterLeftIsNamed() {
    namespace(NAMESPACE, Map.of("muster.io/released", "true"));
    namespace("ml", Map.of());
    client.resource(member("held", true)).create();
    assertProblem(new PodChecks(client, SETTINGS).findings().getFirst(), "ml/held");
    assertProblem(only(new Registered(client, SETTINGS).findings()), "Muster is released");
  }

  @Test
  void aMusterThatIsNotRegisteredIsAProblem() {
    namespace(NAMESPACE, Map.of());
    var findings = new Registered(client, SETTINGS).findings();
    assertProblem(findings.getFirst(), "MutatingWebhookConfiguration muster does not exist");
    assertProblem(findings.getLast(), "have them: ValidatingAdmissionPolic");
  }
}
