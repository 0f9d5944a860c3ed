package io.muster.e2e;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Plays NVIDIA's DRA driver for NVLink over nodes: the definition of ComputeDomains, the class of
 * their channels, a channel on each node, and the controller that makes a template of claims for
 * each domain. Closing it removes all of it. Confined to the test's thread.
 */
final class NvlinkDriver implements AutoCloseable {

  static final String CLIQUE = "nvidia.com/gpu.clique";

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String CLASS = "compute-domain-default-channel.nvidia.com";
  private static final String DRIVER = "compute-domain.nvidia.com";
  private static final ResourceDefinitionContext DOMAINS =
      new ResourceDefinitionContext.Builder()
          .withGroup("resource.nvidia.com")
          .withVersion("v1beta1")
          .withKind("ComputeDomain")
          .withPlural("computedomains")
          .withNamespaced(true)
          .build();

  private final TestSpace space;
  private final HasMetadata definition;
  private final List<String> slices = new ArrayList<>();
  private Optional<SharedIndexInformer<GenericKubernetesResource>> controller = Optional.empty();

  private NvlinkDriver(TestSpace space, HasMetadata definition) {
    this.space = space;
    this.definition = definition;
  }

  /** Installs it; its controller is not running yet. */
  static NvlinkDriver install(TestSpace space) {
    var file = Layout.current().deploy().resolve("src/test/resources/nvlink/computedomains.yaml");
    try (var text = Files.newInputStream(file)) {
      var definition = space.client().load(text).serverSideApply().getFirst();
      var driver = new NvlinkDriver(space, definition);
      driver.apply(
          """
          apiVersion: resource.k8s.io/v1
          kind: DeviceClass
          metadata:
            name: %s
          spec:
            selectors:
            - cel:
                expression: device.driver == '%s'
          """
              .formatted(CLASS, DRIVER));
      Await.until("ComputeDomains to be served", SOON, driver::isServed);
      return driver;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts its controller. */
  NvlinkDriver control() {
    var informer =
        space
            .client()
            .genericKubernetesResources(DOMAINS)
            .inAnyNamespace()
            .inform(
                new ResourceEventHandler<GenericKubernetesResource>() {
                  @Override
                  public void onAdd(GenericKubernetesResource domain) {
                    template(domain);
                  }

                  @Override
                  public void onUpdate(
                      GenericKubernetesResource before, GenericKubernetesResource now) {}

                  @Override
                  public void onDelete(GenericKubernetesResource domain, boolean unknown) {}
                });
    controller = Optional.of(informer);
    return this;
  }

  /** A channel on each of these nodes. */
  NvlinkDriver on(Collection<String> nodes) {
    for (var node : nodes) {
      var name = node + "-channel";
      slices.add(name);
      apply(
          """
          apiVersion: resource.k8s.io/v1
          kind: ResourceSlice
          metadata:
            name: %s
          spec:
            driver: %s
            nodeName: %s
            pool: {name: %s, generation: 1, resourceSliceCount: 1}
            devices:
            - name: channel-0
          """
              .formatted(name, DRIVER, node, name));
    }
    return this;
  }

  /** The domains of the test's namespace. */
  List<GenericKubernetesResource> domains() {
    return domains(space.client()).inNamespace(space.namespace()).list().getItems();
  }

  /** A domain of that name that is nobody's. */
  GenericKubernetesResource foreign(String name) {
    apply(
        """
        apiVersion: resource.nvidia.com/v1beta1
        kind: ComputeDomain
        metadata:
          name: %s
          namespace: %s
        spec:
          channel: {resourceClaimTemplate: {name: other}}
        """
            .formatted(name, space.namespace()));
    return domains(space.client()).inNamespace(space.namespace()).withName(name).get();
  }

  void delete(GenericKubernetesResource domain) {
    domains(space.client()).inNamespace(space.namespace()).resource(domain).delete();
  }

  /** Claims of the test's namespace that have a channel. */
  long channels() {
    return space
        .client()
        .resources(ResourceClaim.class)
        .inNamespace(space.namespace())
        .list()
        .getItems()
        .stream()
        .filter(claim -> claim.getStatus() != null && claim.getStatus().getAllocation() != null)
        .count();
  }

  private void template(GenericKubernetesResource domain) {
    var metadata = domain.getMetadata();
    String name = domain.get("spec", "channel", "resourceClaimTemplate", "name");
    var template =
        space
            .client()
            .getKubernetesSerialization()
            .unmarshal(
                """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: %s, namespace: %s}
                spec:
                  spec:
                    devices:
                      requests:
                      - name: channel
                        exactly: {deviceClassName: %s}
                      config:
                      - requests: [channel]
                        opaque:
                          driver: %s
                          parameters:
                            apiVersion: resource.nvidia.com/v1beta1
                            kind: ComputeDomainChannelConfig
                            domainID: %s
                """
                    .formatted(name, metadata.getNamespace(), CLASS, DRIVER, metadata.getUid()),
                ResourceClaimTemplate.class);
    template
        .getMetadata()
        .setOwnerReferences(
            List.of(
                new OwnerReferenceBuilder()
                    .withApiVersion(domain.getApiVersion())
                    .withKind(domain.getKind())
                    .withName(metadata.getName())
                    .withUid(metadata.getUid())
                    .build()));
    try {
      space.client().resource(template).create();
    } catch (KubernetesClientException _) {
      // Its namespace ends, or one of an earlier domain is still there; as NVIDIA's it does
      // nothing.
    }
  }

  private static MixedOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      domains(KubernetesClient client) {
    return client.genericKubernetesResources(DOMAINS);
  }

  private boolean isServed() {
    try {
      domains();
      return true;
    } catch (KubernetesClientException _) {
      return false;
    }
  }

  private void apply(String manifest) {
    space
        .client()
        .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
        .serverSideApply();
  }

  @Override
  public void close() {
    var client = space.client();
    controller.ifPresent(SharedIndexInformer::close);
    slices.forEach(name ->
        client
            .resources(io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice.class)
            .withName(name)
            .delete());
    client.resources(DeviceClass.class).withName(CLASS).delete();
    client.resource(definition).delete();
    Await.until("ComputeDomains to be served no more", SOON, () -> !isServed());
  }
}
