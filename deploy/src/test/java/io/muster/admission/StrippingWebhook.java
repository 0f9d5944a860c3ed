package io.muster.admission;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javalin.Javalin;
import io.javalin.http.Context;
import io.muster.certs.Certificates;
import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.tls.ClientAuth;
import io.muster.certs.tls.TlsListener;
import io.muster.certs.x509.ServerNames;
import io.muster.sandbox.Ports;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;

/** Somebody else's webhook, which takes resources away that it does not know. */
final class StrippingWebhook implements AutoCloseable {

  /** After Muster's, by whose order the apiserver asks. */
  private static final String NAME = "zz-strips-resources";

  private static final String HOST = "127.0.0.1";
  private static final String MARKER = "muster.io/gang-member";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final KubernetesClient client;
  private final Javalin server;

  /** Starts it for the pods of one test. */
  StrippingWebhook(TestSpace space) {
    client = space.client();
    var certificates =
        Certificates.ensure(
            new InMemoryCertificateStore(),
            ServerNames.of("localhost", HOST),
            InstantSource.system());
    int port = Ports.free();
    server =
        Javalin.create(
                java -> {
                  java.startup.showJavalinBanner = false;
                  TlsListener.on(HOST, port, certificates, ClientAuth.NONE).install(java);
                  java.routes.post("/strip", StrippingWebhook::strip);
                })
            .start();
    client
        .resource(
            registration(
                space.namespace(),
                "https://%s:%d/strip".formatted(HOST, port),
                certificates.caBundlePem()))
        .create();
  }

  private static MutatingWebhookConfiguration registration(
      String namespace, String url, String caPem) {
    return new MutatingWebhookConfigurationBuilder()
        .withNewMetadata()
        .withName(NAME)
        .endMetadata()
        .addNewWebhook()
        .withName("strips.resources.test")
        .withAdmissionReviewVersions("v1")
        .withSideEffects("None")
        .withReinvocationPolicy("IfNeeded")
        .withNewNamespaceSelector()
        .addToMatchLabels("kubernetes.io/metadata.name", namespace)
        .endNamespaceSelector()
        .withRules(
            new RuleWithOperationsBuilder()
                .withApiGroups("")
                .withApiVersions("v1")
                .withOperations("CREATE")
                .withResources("pods")
                .build())
        .withNewClientConfig()
        .withUrl(url)
        .withCaBundle(Base64.getEncoder().encodeToString(caPem.getBytes(StandardCharsets.US_ASCII)))
        .endClientConfig()
        .endWebhook()
        .build();
  }

  private static void strip(Context context) throws IOException {
    var request = JSON.readTree(context.bodyInputStream()).path("request");
    var review = JSON.createObjectNode();
    review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    var response = review.putObject("response").put("allowed", true);
    response.put("uid", request.path("uid").asText());
    var patch = JSON.createArrayNode();
    for (var kind : new String[] {"requests", "limits"}) {
      if (request.at("/object/spec/containers/0/resources/" + kind).has(MARKER)) {
        patch
            .addObject()
            .put("op", "remove")
            .put("path", "/spec/containers/0/resources/" + kind + "/" + MARKER.replace("/", "~1"));
      }
    }
    if (!patch.isEmpty()) {
      response.put("patchType", "JSONPatch");
      response.put(
          "patch",
          Base64.getEncoder().encodeToString(patch.toString().getBytes(StandardCharsets.UTF_8)));
    }
    context.contentType("application/json").result(review.toString());
  }

  @Override
  public void close() {
    client.resources(MutatingWebhookConfiguration.class).withName(NAME).delete();
    server.stop();
  }
}
