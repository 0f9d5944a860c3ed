package io.muster.deploy.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.deploy.install.InstallFiles;
import io.muster.deploy.scheduler.MergedConfiguration.Merged;
import io.muster.deploy.scheduler.MergedConfiguration.Refused;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MergedConfigurationTest {

  private static final YAMLMapper YAML = new YAMLMapper();
  private static final MergedConfiguration.Terms TERMS =
      new MergedConfiguration.Terms(
          "https://10.96.3.4:9443/v1",
          "muster-extender.muster-system.svc",
          "/etc/kubernetes/muster",
          "/etc/kubernetes/scheduler.conf",
          30,
          10);

  private static final String HEAD =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

  private static MergedConfiguration of(Optional<String> existing) throws IOException {
    Optional<JsonNode> document = Optional.empty();
    if (existing.isPresent()) {
      document = Optional.of(YAML.readTree(existing.get()));
    }
    var shipped = (ObjectNode) YAML.readTree(InstallFiles.sharedScheduler());
    return MergedConfiguration.of(document, shipped, TERMS);
  }

  private static Merged merged(String existing) throws IOException {
    return (Merged) of(Optional.of(existing));
  }

  private static String refusal(String existing) throws IOException {
    return ((Refused) of(Optional.of(existing))).sentence();
  }

  @Test
  void withoutOneTheShippedOneGetsTheAddressAndTheFiles() throws IOException {
    var document = ((Merged) of(Optional.empty())).document();

    assertThat(document.path("extenders")).hasSize(1);
    var extender = document.path("extenders").path(0);
    assertThat(extender.path("urlPrefix").asText()).isEqualTo("https://10.96.3.4:9443/v1");
    assertThat(extender.at("/tlsConfig/keyFile").asText())
        .isEqualTo("/etc/kubernetes/muster/tls.key");
    assertThat(document.at("/leaderElection/leaderElect").asBoolean()).isTrue();
    assertThat(document.at("/clientConnection/kubeconfig").asText())
        .isEqualTo("/etc/kubernetes/scheduler.conf");
  }

  @Test
  void everythingThatIsThereStays() throws IOException {
    var existing =
        HEAD
            + """
            clientConnection: {kubeconfig: /srv/scheduler.conf, qps: 50}
            leaderElection: {leaderElect: true, leaseDuration: 30s}
            percentageOfNodesToScore: 20
            profiles:
            - schedulerName: default-scheduler
              percentageOfNodesToScore: 10
              plugins: {score: {disabled: [{name: ImageLocality}]}}
            - schedulerName: packing
            extenders:
            - {urlPrefix: "http://volumes:8099", filterVerb: filter, ignorable: true}
            """;

    var merged = merged(existing);

    var document = merged.document();
    assertThat(merged.warnings()).isEmpty();
    assertThat(document.path("clientConnection"))
        .isEqualTo(YAML.readTree(existing).path("clientConnection"));
    assertThat(document.path("leaderElection"))
        .isEqualTo(YAML.readTree(existing).path("leaderElection"));
    assertThat(document.at("/profiles/0/plugins/score/disabled/0/name").asText())
        .isEqualTo("ImageLocality");
    assertThat(document.at("/profiles/1/schedulerName").asText()).isEqualTo("packing");
    assertThat(document.at("/extenders/0/urlPrefix").asText()).isEqualTo("http://volumes:8099");
    assertThat(document.at("/extenders/1/bindVerb").asText()).isEqualTo("bind");
    assertThat(document.path("percentageOfNodesToScore").asInt()).isEqualTo(100);
    assertThat(document.at("/profiles/0/percentageOfNodesToScore").asInt()).isEqualTo(100);
    assertThat(document.at("/profiles/1").has("percentageOfNodesToScore")).isFalse();
  }

  @Test
  void musterIsAddedOnce() throws IOException {
    var once = merged(HEAD).document();

    assertThat(merged(YAML.writeValueAsString(once)).document()).isEqualTo(once);
  }

  @Test
  void anotherExtenderThatBindsIsRefusedWithTheTwoWaysOn() throws IOException {
    var refusal =
        refusal(
            HEAD + "extenders: [{urlPrefix: \"https://hami:443\", filterVerb: f, bindVerb: b}]\n");

    assertThat(refusal)
        .contains("extenders: the one at https://hami:443 has bindVerb too")
        .contains("second kube-scheduler")
        .contains("placementMode affinity");
  }

  /** A host may be called like Muster, and be somebody else's. */
  @Test
  void extendersOfOthersStayWhateverTheirHostIsCalled() throws IOException {
    var existing =
        HEAD
            + "extenders: [{urlPrefix: \"https://quota.muster-prod.example.com\", filterVerb: f}]\n";

    assertThat(merged(existing).document().path("extenders")).hasSize(2);
    assertThat(
            refusal(
                HEAD
                    + "extenders: [{urlPrefix: \"https://gpu.muster-prod.example.com/v1\","
                    + " bindVerb: bind}]\n"))
        .contains("https://gpu.muster-prod.example.com/v1 has bindVerb too");
  }

  @ParameterizedTest
  @CsvSource({
    "https://muster-extender, true",
    "https://muster-extender:9443/v1, true",
    "https://muster-extender/v1, true",
    "https://muster-extender.old, true",
    "https://muster-extender.old:9443/v1, true",
    "https://muster-extender.old.svc:9443/v1, true",
    "http://muster-extender.old.svc.cluster.local/v1, true",
    "https://muster-extender.example.com, false",
    "https://muster-extender.example.com:9443/v1, false",
    "https://muster-extender.old.svcs.com/v1, false",
    "https://muster-extender-2:9443/v1, false"
  })
  void anEntryIsMustersByTheNameOfTheServiceAlone(String url, boolean isMusters) {
    var entry = YAML.createObjectNode().put("urlPrefix", url);

    assertThat(MergedConfiguration.isMusters(entry)).isEqualTo(isMusters);
  }

  @Test
  void anEntryOfMustersAtAnotherAddressIsReplacedAndNamed() throws IOException {
    var merged =
        merged(
            HEAD
                + "extenders: [{urlPrefix: \"https://muster-extender.old:9443/v1\", bindVerb: b}]\n");

    assertThat(merged.document().path("extenders")).hasSize(1);
    assertThat(merged.warnings())
        .containsExactly(
            "extenders: the one at https://muster-extender.old:9443/v1 is Muster's, and is replaced");
  }

  @Test
  void anotherKindOrVersionIsRefusedByItsField() throws IOException {
    assertThat(refusal("kind: Pod\n")).startsWith("kind is not KubeSchedulerConfiguration");
    assertThat(refusal("just text")).startsWith("kind is not KubeSchedulerConfiguration");
    assertThat(refusal(HEAD.replace("/v1\n", "/v1beta3\n")))
        .startsWith("apiVersion is \"kubescheduler.config.k8s.io/v1beta3\"");
  }

  @Test
  void whatMusterMustBeToldIsSaid() throws IOException {
    var merged = merged(HEAD + "podMaxBackoffSeconds: 60\nleaderElection: {leaderElect: false}\n");

    assertThat(merged.warnings())
        .containsExactly(
            "podMaxBackoffSeconds is 60: set Muster's schedulerPodMaxBackoffSeconds to it",
            "leaderElection.leaderElect is false: set it to true where more than one"
                + " kube-scheduler runs");
  }
}
