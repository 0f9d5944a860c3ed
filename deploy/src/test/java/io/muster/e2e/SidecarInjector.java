package io.muster.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javalin.Javalin;
import io.javalin.http.Context;
import io.muster.certs.Certificates;
import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.tls.ClientAuth;
import io.muster.certs.tls.TlsListener;
import io.muster.certs.x509.ServerNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;

/**
 * Somebody else's mutating webhook: puts a container with devices, and a variable in front of those
 * of the first one, into pods that do not have them. Where its registration stands among others is
 * what its name decides.
 */
final class SidecarInjector implements AutoCloseable {

  static final String SIDECAR = "injected";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final KubernetesClient client;
  private final String name;
  private final Javalin server;

  private SidecarInjector(KubernetesClient client, String name, Javalin server) {
    this.client = client;
    this.name = name;
    this.server = server;
  }

  /** Serves, and is asked about pods of that namespace. */
  static SidecarInjector start(KubernetesClient client, String name, String namespace) {
    var certificates =
        Certificates.ensure(
            new InMemoryCertificateStore(),
            ServerNames.of("127.0.0.1", "localhost"),
            InstantSource.system());
    var server =
        Javalin.create(
                java -> {
                  java.startup.showJavalinBanner = false;
                  TlsListener.on("127.0.0.1", 0, certificates, ClientAuth.NONE).install(java);
                  java.routes.post("/inject", SidecarInjector::answer);
                })
            .start();
    client
        .resource(
            new MutatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .addNewWebhook()
                .withName("inject.sidecar.example")
                .withAdmissionReviewVersions("v1")
                .withSideEffects("None")
                .withReinvocationPolicy("IfNeeded")
                .withFailurePolicy("Fail")
                .withNewNamespaceSelector()
                .addToMatchLabels("kubernetes.io/metadata.name", namespace)
                .endNamespaceSelector()
                .addNewRule()
                .withApiGroups("")
                .withApiVersions("v1")
                .withOperations("CREATE")
                .withResources("pods")
                .endRule()
                .withNewClientConfig()
                .withUrl("https://127.0.0.1:" + server.port() + "/inject")
                .withCaBundle(
                    Base64.getEncoder()
                        .encodeToString(
                            certificates.caBundlePem().getBytes(StandardCharsets.US_ASCII)))
                .endClientConfig()
                .endWebhook()
                .build())
        .create();
    return new SidecarInjector(client, name, server);
  }

  private static void answer(Context context) throws IOException {
    var request = JSON.readTree(context.bodyAsBytes()).path("request");
    var review =
        JSON.createObjectNode()
            .put("apiVersion", "admission.k8s.io/v1")
            .put("kind", "AdmissionReview");
    var response = review.putObject("response").put("uid", request.path("uid").asText());
    response.put("allowed", true);
    if (!hasSidecar(request.path("object"))) {
      var patch = patch(request.path("object").at("/spec/containers/0/env").isArray());
      response.put("patchType", "JSONPatch");
      response.put(
          "patch", Base64.getEncoder().encodeToString(patch.getBytes(StandardCharsets.UTF_8)));
    }
    context.contentType("application/json").result(review.toString());
  }

  private static String patch(boolean hasEnv) {
    var parent = hasEnv ? "" : "{\"op\":\"add\",\"path\":\"/spec/containers/0/env\",\"value\":[]},";
    return """
    [%s{"op":"add","path":"/spec/containers/0/env/0","value":{"name":"INJECTED","value":"1"}},
     {"op":"add","path":"/spec/containers/-","value":{"name":"%s","image":"side",
       "resources":{"limits":{"nvidia.com/gpu":"1"},"requests":{"nvidia.com/gpu":"1"}}}}]
    """
        .formatted(parent, SIDECAR);
  }

  private static boolean hasSidecar(JsonNode pod) {
    return pod.at("/spec/containers")
        .valueStream()
        .anyMatch(container -> container.path("name").asText().equals(SIDECAR));
  }

  @Override
  public void close() {
    client.admissionRegistration().v1().mutatingWebhookConfigurations().withName(name).delete();
    server.stop();
  }
}
