/** What a gang is, and how the pods of each ecosystem say which gang they belong to. */
package io.muster.extender.core.gang;
