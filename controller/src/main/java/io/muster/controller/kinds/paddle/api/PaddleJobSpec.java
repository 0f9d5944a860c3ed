package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.muster.controller.api.UnreadableVolume;
import io.muster.controller.api.WireType;
import java.util.List;
import java.util.Map;

/**
 * What a training job is to be, by the mixed spellings that its users have: a key that was once
 * read whatever its case is here in each of its spellings. A wire type: absent fields are null.
 * Immutable but for volumes and mounts, which nobody may change.
 *
 * @param image Image of master, parameter servers and trainers.
 * @param port First of the ports of parameter servers and trainers.
 * @param ports How many ports there are for dense parameters.
 * @param sparsePorts How many more there are for sparse parameters, behind the others.
 * @param faultTolerant Whether the job goes on without a trainer that was lost, by a master that
 *     deals out tasks. Only then may the number of trainers change. false by default.
 * @param passes How often the data is gone through.
 * @param volumes Volumes of all pods, as in any pod.
 * @param mounts Where trainers and the master see which volumes.
 * @param mountsInLowerCase The same as VolumeMounts; what is in either counts.
 * @param imagePullSecrets Secrets by which the image is pulled.
 * @param hostNetwork Whether pods are in the network of their node. false by default.
 * @param hostNetworkInLowerCase The same as HostNetwork; true in any of them counts.
 * @param hostNetworkInSnakeCase The same as HostNetwork; true in any of them counts.
 * @param nodeSelector Labels that nodes must have for the job's pods.
 * @param nodeSelectorInLowerCase The same as NodeSelector; what is in either counts.
 * @param trainer Those that train.
 * @param pserver Those that hold the parameters. None by default.
 * @param master The one that deals out tasks, where fault_tolerant is true.
 */
@WireType
public record PaddleJobSpec(
    @Default(PaddleJobSpec.IMAGE) String image,
    @Default("7164") @Min(1) @Max(65535) Integer port,
    @JsonProperty("ports_num") @Default("1") @Min(1) @Max(1000) Integer ports,
    @JsonProperty("ports_num_for_sparse") @Default("1") @Min(1) @Max(1000) Integer sparsePorts,
    @JsonProperty("fault_tolerant") Boolean faultTolerant,
    @Default("1") @Min(1) Integer passes,
    @SchemaFrom(type = PodPartSchema.Volumes.class)
        @JsonDeserialize(contentUsing = UnreadableVolume.Reader.class)
        List<Volume> volumes,
    @JsonProperty("VolumeMounts") @SchemaFrom(type = PodPartSchema.Mounts.class)
        List<VolumeMount> mounts,
    @JsonProperty("volumeMounts") @SchemaFrom(type = PodPartSchema.Mounts.class)
        List<VolumeMount> mountsInLowerCase,
    @SchemaFrom(type = PodPartSchema.Secrets.class) List<LocalObjectReference> imagePullSecrets,
    @JsonProperty("HostNetwork") Boolean hostNetwork,
    @JsonProperty("hostNetwork") Boolean hostNetworkInLowerCase,
    @JsonProperty("host_network") Boolean hostNetworkInSnakeCase,
    @JsonProperty("NodeSelector") Map<String, String> nodeSelector,
    @JsonProperty("nodeSelector") Map<String, String> nodeSelectorInLowerCase,
    @Required TrainerSpec trainer,
    PserverSpec pserver,
    MasterSpec master) {

  /** Most of one role; all together may be as many as a gang has members. */
  static final int MOST_INSTANCES = 4000;

  /** Where nothing is said. */
  public static final String IMAGE = "paddlepaddle/paddlecloud-job";
}
