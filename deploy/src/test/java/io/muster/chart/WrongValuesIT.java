package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.Helm;
import io.muster.sandbox.Layout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that would not work are refused before anything is installed, by their key. */
final class WrongValuesIT {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "replica=2|replica|not allowed",
        "image=null|at ''|missing property 'image'",
        "settings=null|at ''|missing property 'settings'",
        "mode=null|at ''|missing property 'mode'",
        "jobKinds={\"di\":null}|/jobKinds|missing property 'di'",
        "extender={\"service\":null}|/extender|missing property 'service'",
        "image={\"tags\":\"1\"}|/image|tags",
        "image={\"repository\":\"Muster/Muster\"}|/image/repository|does not match",
        "image={\"digest\":\"sha256:1\"}|/image/digest|does not match",
        "image={\"pullPolicy\":\"Sometimes\"}|/image/pullPolicy|'Always', 'IfNotPresent', 'Never'",
        "replicas=0|/replicas|minimum",
        "replicas=6|/replicas|maximum",
        "replicas=\"two\"|/replicas|want integer",
        "replicas=1|replicas: 1|allowSingle to true",
        "mode=\"both\"|/mode|'shared', 'second', 'affinity'",
        "enrolment=\"none\"|/enrolment|'gang', 'all', 'shadow'",
        "jobKinds={\"kai\":true}|/jobKinds|kai",
        "jobKinds={\"di\":\"yes\"}|/jobKinds/di|want boolean",
        "settings={\"repairTimeout\":30}|/settings|repairTimeout",
        "settings={\"repairTimeoutSeconds\":0}|/settings/repairTimeoutSeconds|minimum",
        "settings={\"logFormat\":\"xml\"}|/settings/logFormat|'json', 'text'",
        "settings={\"extenderPort\":9000}|settings.extenderPort|set ports.extender",
        "settings={\"namespace\":\"gangs\"}|settings.namespace|--namespace",
        "settings={\"jobKinds\":\"di\"}|settings.jobKinds|set jobKinds.etoperator",
        "settings={\"defaultEnrolment\":\"shadow\"}|settings.defaultEnrolment|set enrolment",
        "settings={\"placementMode\":\"affinity\"}|settings.placementMode|set mode",
        "jvm={\"heap\":\"64m\"}|/jvm/heap|does not match",
        "jvm={\"heap\":\"2g\"}|jvm.heap is 2g|resources.limits.memory is 768Mi",
        "board={\"enabled\":true,\"heap\":\"1g\"}|board.heap is 1g|to at least 1408Mi",
        "jvm={\"options\":[\"-Xlog:gc -Xss1m\"]}|/jvm/options|does not match",
        "resources={\"limits\":{\"memory\":\"lots\"}}|/resources/limits/memory|does not match",
        "topology={\"levels\":\"none\"}|/topology/levels|auto",
        "topology={\"levels\":[{\"name\":\"Rack\",\"label\":\"rack\"}]}|/topology/levels/0/name|does not match",
        "topology={\"levels\":[{\"name\":\"rack\"}]}|/topology/levels/0|label",
        "topology={\"levels\":[{\"name\":\"rack\",\"label\":\"rack\",\"keep\":1001}]}|/topology/levels/0/keep|maximum",
        "topologySpread=\"rack\"|/topologySpread|'zone', 'host', 'none'",
        "disruptionBudget={\"maxUnavailable\":0}|/disruptionBudget/maxUnavailable|minimum",
        "ports={\"webhook\":70000}|/ports/webhook|maximum",
        "ports={\"webhook\":9443}|ports|must differ",
        "extender={\"service\":{\"clusterIP\":\"None\"}}|/extender/service/clusterIP|does not match",
        "schedulerFiles={\"hostFolder\":\"etc\"}|/schedulerFiles/hostFolder|does not match",
        "networkPolicy={\"enabled\":true}|networkPolicy.apiserverCidrs|list the addresses",
        "networkPolicy={\"enabled\":true,\"apiserverCidrs\":[\"10.0.0.0/28\"]}|networkPolicy.schedulerCidrs|list its addresses",
        "networkPolicy={\"apiserverCidrs\":[\"10.0.0.1\"]}|/networkPolicy/apiserverCidrs|does not match",
        "certificates={\"source\":\"acme\"}|/certificates/source|'own', 'cert-manager', 'secret'",
        "certificates={\"source\":\"cert-manager\"}|certificates.issuerRef.name|name the Issuer",
        "certificates={\"clientSecret\":\"mine\"}|certificates.clientSecret|certificates.source to secret",
        "certificates={\"source\":\"secret\",\"clientSecret\":\"muster-tls\"}|certificates.serverSecret|a Secret of its own",
        "certificates={\"source\":\"secret\",\"serverSecret\":\"muster-certificates\"}|certificates|choose another name",
        "settings={\"certificateSecret\":\"mine\"}|settings.certificateSecret|certificates.serverSecret",
        "uninstallHook={\"enabled\":\"no\"}|/uninstallHook/enabled|want boolean",
        "podLabels={\"app.kubernetes.io/name\":\"mine\"}|podLabels.app.kubernetes.io/name|another name",
        "podAnnotations={\"checksum/config\":\"1\"}|podAnnotations.checksum/config|another name",
      })
  void aWrongValueIsRefusedByItsKey(String value, String key, String remedy) {
    isRefused("muster-system", List.of(value), key, remedy);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "second|settings={\"schedulers\":\"default-scheduler, muster-scheduler\"}|settings.schedulers|leave settings.schedulers out",
        "second|settings={\"schedulers\":\"other\"}|settings.schedulers|must name muster-scheduler",
        "affinity|schedulerFiles={\"enabled\":true}|schedulerFiles.enabled|set it to false",
      })
  void whatDoesNotGoWithTheModeIsRefused(String mode, String value, String key, String remedy) {
    isRefused("muster-system", List.of("mode=\"%s\"".formatted(mode), value), key, remedy);
  }

  @ParameterizedTest
  @CsvSource({
    "767m, '\"768Mi\"', true",
    "768m, '\"768Mi\"', false",
    "2g, '\"2.5Gi\"', true",
    "800m, 800000000, false",
    "128m, 800000000, true",
    "20g, null, true"
  })
  void aHeapHasToFitIntoItsLimit(String heap, String limit, boolean fits) {
    var values =
        List.of(
            "jvm={\"heap\":\"%s\"}".formatted(heap),
            "resources={\"limits\":{\"memory\":%s}}".formatted(limit));
    var result =
        Helm.findOrBuild(Layout.current()).run(ChartRendering.template("muster-system", values));
    assertThat(result.exitCode() == 0).as(result.output()).isEqualTo(fits);
  }

  @Test
  void aNetworkPolicyThatWouldSayNothingIsRefused() {
    isRefused(
        "muster-system",
        List.of(
            "hostNetwork=true",
            "networkPolicy={\"enabled\":true,\"apiserverCidrs\":[\"10.0.0.0/28\"]}"),
        "networkPolicy.enabled",
        "set it to false, or hostNetwork to false");
  }

  @Test
  void certManagersKindsAreNeededToAskForThem() {
    var arguments =
        ChartRendering.template(
                "muster-system",
                List.of(
                    "certificates={\"source\":\"cert-manager\",\"issuerRef\":{\"name\":\"i\"}}"))
            .stream()
            .filter(argument -> !argument.equals(ChartRendering.CERTIFICATES))
            .toList();
    var result = Helm.findOrBuild(Layout.current()).run(arguments);
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.output())
        .contains("no kind Certificate of cert-manager.io/v1", "install cert-manager first");
  }

  @Test
  void aNamespaceThatOthersUseIsRefused() {
    isRefused("default", List.of(), "namespace default", "--create-namespace");
  }

  @Test
  void aClusterThatIsTooOldIsRefused() {
    var arguments =
        Stream.concat(
                ChartRendering.template("muster-system", List.of()).stream(),
                Stream.of("--kube-version", "1.29.9"))
            .toList();
    var result = Helm.findOrBuild(Layout.current()).run(arguments);
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.output()).contains("kubeVersion: >=1.30.0-0");
  }

  /** As managed clusters call their versions. */
  @ParameterizedTest
  @CsvSource({"v1.31.2-eks-7f9249a", "v1.30.5-gke.1014001"})
  void aVersionWithASuffixIsTaken(String version) {
    var arguments =
        Stream.concat(
                ChartRendering.template("muster-system", List.of("mode=\"second\"")).stream(),
                Stream.of("--kube-version", version))
            .toList();
    assertThat(Helm.findOrBuild(Layout.current()).output(arguments))
        .contains("kube-scheduler:" + version.replaceAll("-.*", "") + "\n");
  }

  private static void isRefused(String namespace, List<String> values, String key, String remedy) {
    var result = Helm.findOrBuild(Layout.current()).run(ChartRendering.template(namespace, values));
    assertThat(result.exitCode()).as(result.output()).isNotZero();
    assertThat(result.output()).contains(key, remedy);
  }
}
