/** YAML that people write: settings, profiles, manifests and the texts of ConfigMaps. */
package io.muster.extender.yaml;
