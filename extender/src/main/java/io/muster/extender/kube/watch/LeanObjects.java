package io.muster.extender.kube.watch;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserSequence;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassSpec;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimStatus;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.kube.gang.Gang;
import java.io.IOException;
import java.util.Map;

/**
 * Reads of pods, nodes and devices what decisions read and skips the rest, most of which is large:
 * who manages which field, environment, probes, mounts, states of containers. A pod is read several
 * times on its way, so this is most of the work that is done for it. What was read this way must
 * not be written back.
 */
public final class LeanObjects {

  private static final Map<String, Class<?>> WATCHED =
      Map.of(
          "v1 Pod", Pod.class,
          "v1 Node", Node.class,
          "muster.io/v1alpha1 Gang", Gang.class,
          "resource.k8s.io/v1 ResourceSlice", ResourceSlice.class,
          "resource.k8s.io/v1 ResourceClaim", ResourceClaim.class,
          "resource.k8s.io/v1 DeviceClass", DeviceClass.class);

  private LeanObjects() {}

  /** For a client that watches, and that writes no pods or nodes as objects. */
  public static KubernetesSerialization serialization() {
    var mapper = new ObjectMapper();
    var serialization = new KubernetesSerialization(mapper, true);
    addTo(mapper);
    mapper.registerModule(
        new SimpleModule("watch").addDeserializer(WatchEvent.class, new WatchEvents(mapper)));
    return serialization;
  }

  /** Has the mapper skip what no decision reads. */
  public static void addTo(ObjectMapper mapper) {
    mapper
        .addMixIn(ObjectMeta.class, LeanMetadata.class)
        .addMixIn(PodSpec.class, LeanPodSpec.class)
        .addMixIn(PodStatus.class, LeanPodStatus.class)
        .addMixIn(ContainerStatus.class, LeanContainerStatus.class)
        .addMixIn(Container.class, LeanContainer.class)
        .addMixIn(Volume.class, LeanVolume.class)
        .addMixIn(NodeStatus.class, LeanNodeStatus.class)
        .addMixIn(DeviceClassSpec.class, LeanConfigured.class)
        .addMixIn(DeviceClaim.class, LeanConfigured.class)
        .addMixIn(DeviceAllocationResult.class, LeanConfigured.class)
        .addMixIn(ResourceClaimStatus.class, LeanClaimStatus.class);
  }

  @JsonIgnoreProperties({"managedFields", "finalizers", "selfLink"})
  private interface LeanMetadata {}

  @JsonIgnoreProperties({
    "dnsConfig",
    "ephemeralContainers",
    "hostAliases",
    "imagePullSecrets",
    "readinessGates",
    "securityContext"
  })
  private interface LeanPodSpec {}

  @JsonIgnoreProperties({
    "ephemeralContainerStatuses",
    "extendedResourceClaimStatus",
    "hostIPs",
    "podIPs"
  })
  private interface LeanPodStatus {}

  @JsonIgnoreProperties({
    "allocatedResourcesStatus",
    "containerID",
    "image",
    "imageID",
    "lastState",
    "state",
    "user",
    "volumeMounts"
  })
  private interface LeanContainerStatus {}

  @JsonIgnoreProperties({
    "args",
    "command",
    "env",
    "envFrom",
    "lifecycle",
    "livenessProbe",
    "readinessProbe",
    "resizePolicy",
    "securityContext",
    "startupProbe",
    "volumeDevices",
    "volumeMounts"
  })
  private interface LeanContainer {}

  @JsonIgnoreProperties({
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "hostPath",
    "image",
    "nfs",
    "projected",
    "secret"
  })
  private interface LeanVolume {}

  @JsonIgnoreProperties({
    "addresses",
    "capacity",
    "daemonEndpoints",
    "images",
    "nodeInfo",
    "volumesAttached",
    "volumesInUse"
  })
  private interface LeanNodeStatus {}

  @JsonIgnoreProperties({"config"})
  private interface LeanConfigured {}

  @JsonIgnoreProperties({"devices"})
  private interface LeanClaimStatus {}

  /** Reads the object of an event as what its first two fields say that it is, in one pass. */
  private static final class WatchEvents extends StdDeserializer<WatchEvent> {

    private final transient ObjectMapper mapper;

    WatchEvents(ObjectMapper mapper) {
      super(WatchEvent.class);
      this.mapper = mapper;
    }

    @Override
    public WatchEvent deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      var event = new WatchEvent();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        var field = parser.currentName();
        var value = parser.nextToken();
        if (field.equals("type")) {
          event.setType(parser.getText());
        } else if (field.equals("object") && value == JsonToken.START_OBJECT) {
          event.setObject(object(parser));
        } else {
          parser.skipChildren();
        }
      }
      return event;
    }

    private Object object(JsonParser parser) throws IOException {
      try (var head = new TokenBuffer(parser)) {
        head.copyCurrentEvent(parser);
        String kind = "";
        String version = "";
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          var field = parser.currentName();
          if (!field.equals("kind") && !field.equals("apiVersion")) {
            break;
          }
          head.copyCurrentEvent(parser);
          parser.nextToken();
          head.copyCurrentEvent(parser);
          if (field.equals("kind")) {
            kind = parser.getText();
          } else {
            version = parser.getText();
          }
        }
        var whole = JsonParserSequence.createFlattened(true, head.asParser(parser), parser);
        whole.nextToken();
        return mapper.readValue(
            whole, WATCHED.getOrDefault(version + " " + kind, KubernetesResource.class));
      }
    }
  }
}
